-- compatible
-- How much a partner's unfinished jobs may add up to. Servers of the version before add jobs and parts without looking.
ALTER TABLE jobs
  ADD bytes  bigint NOT NULL DEFAULT 0;        -- of the parts that are stored; servers of the version before do not count them
UPDATE jobs j SET bytes = p.bytes
FROM (SELECT client_id, job_id, sum(octet_length(list::text)) AS bytes FROM job_parts GROUP BY client_id, job_id) p
WHERE j.client_id = p.client_id AND j.job_id = p.job_id;
-- What counts: jobs that are not over, and stopped ones until their parts are gone.
CREATE INDEX jobs__in_quota ON jobs (client_id) WHERE (finished_at IS NULL OR failure IS NOT NULL) AND NOT cleared;

-- The lock under which a partner's jobs are added up and added to.
CREATE TABLE job_quotas (
  client_id  int PRIMARY KEY
);
