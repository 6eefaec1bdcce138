-- Domains to which an organization may restrict the addresses of new accounts.
create table realm_domain (
  realm_id integer not null references realm,
  domain text collate "C" not null,
  id integer not null,
  allow_subdomains boolean not null,
  primary key (realm_id, domain)
);
