-- A batch now locks the event head of each of its partners before it reads anything else. Servers of the version before lock other rows
-- first, so the two must not run together.
INSERT INTO event_heads (client_id, last_sequence) SELECT client_id, 0 FROM partners ORDER BY client_id ON CONFLICT DO NOTHING;

-- The head is the lock under which a partner's jobs are added up.
DROP TABLE job_quotas;
