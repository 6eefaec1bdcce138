-- Holds the place of a step that comes from elsewhere.
select 1;
