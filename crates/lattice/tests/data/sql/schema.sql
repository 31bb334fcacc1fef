-- People.
CREATE TABLE person (
  id INT PRIMARY KEY,
  name TEXT
);

CREATE VIEW adult AS
SELECT id FROM person WHERE is_adult(id);

CREATE FUNCTION is_adult(id INT) RETURNS BOOLEAN AS $$
  SELECT true
$$ LANGUAGE sql;
