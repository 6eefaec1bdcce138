-- The tokens of uploaded pictures, parts of their files' names.
alter table account add column avatar text;
