/**
 * The tables, as the steps that lead to them: step n takes a file from version n - 1 to n. A step that was released is
 * never changed.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE sessions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    host TEXT NOT NULL,
    pid INTEGER NOT NULL,
    birth TEXT NOT NULL,
    opened_at REAL NOT NULL,
    ended INTEGER NOT NULL DEFAULT 0,
    recovered INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX sessions_unrecovered ON sessions (id) WHERE recovered = 0;

  CREATE TABLE ledger (
    id INTEGER PRIMARY KEY,
    execution_id TEXT NOT NULL UNIQUE,
    fingerprint TEXT NOT NULL,
    name TEXT NOT NULL,
    version TEXT,
    args TEXT,
    call_id TEXT NOT NULL,
    run_id TEXT,
    session INTEGER NOT NULL REFERENCES sessions (id),
    state TEXT NOT NULL CHECK (state IN ('open', 'completed', 'failed', 'unknown')),
    result TEXT CHECK ((result IS NULL) = (state = 'open')),
    intended_at REAL NOT NULL,
    closed_at REAL
  ) STRICT;
  CREATE INDEX ledger_open ON ledger (id) WHERE state = 'open';
  CREATE INDEX ledger_session ON ledger (session);

  CREATE TABLE runs (
    run_id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    started_at REAL NOT NULL,
    updated_at REAL NOT NULL,
    request_id TEXT,
    input TEXT,
    forked_run TEXT,
    forked_turn INTEGER,
    entries INTEGER NOT NULL DEFAULT 0,
    turns INTEGER NOT NULL DEFAULT 0,
    last_turn INTEGER,
    ended INTEGER NOT NULL DEFAULT 0,
    outcome TEXT
  ) STRICT;
  CREATE INDEX runs_started ON runs (started_at);
  CREATE TABLE journal (
    run_id TEXT NOT NULL REFERENCES runs (run_id) ON DELETE CASCADE,
    n INTEGER NOT NULL,
    type TEXT NOT NULL,
    turn INTEGER,
    at REAL NOT NULL,
    session INTEGER NOT NULL REFERENCES sessions (id),
    body TEXT NOT NULL,
    UNIQUE (run_id, n)
  ) STRICT;
  CREATE INDEX journal_results ON journal (session) WHERE type = 'result';

  CREATE TABLE records (
    seq INTEGER PRIMARY KEY,
    at REAL NOT NULL,
    total INTEGER NOT NULL,
    tool TEXT NOT NULL,
    kind TEXT NOT NULL,
    execution_id TEXT NOT NULL,
    run_id TEXT,
    body TEXT NOT NULL,
    hash BLOB NOT NULL
  ) STRICT;
  CREATE INDEX records_tool ON records (tool);
  CREATE INDEX records_execution ON records (execution_id);
  CREATE INDEX records_run ON records (run_id) WHERE run_id IS NOT NULL;
  CREATE INDEX records_kind ON records (kind) WHERE kind <> 'ok';
  CREATE TABLE record_paths (
    path TEXT NOT NULL,
    seq INTEGER NOT NULL REFERENCES records (seq) ON DELETE CASCADE,
    PRIMARY KEY (path, seq)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX record_paths_seq ON record_paths (seq);
  CREATE VIRTUAL TABLE record_text USING fts5 (
    text, tags, content = '', contentless_delete = 1, tokenize = "unicode61 remove_diacritics 2"
  );
  CREATE TABLE chain (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    keyed INTEGER NOT NULL,
    base_seq INTEGER NOT NULL,
    base_hash BLOB NOT NULL,
    base_total INTEGER NOT NULL,
    base_at REAL NOT NULL,
    head_seq INTEGER NOT NULL,
    head_hash BLOB NOT NULL,
    head_total INTEGER NOT NULL,
    head_at REAL NOT NULL,
    seal BLOB NOT NULL
  ) STRICT;

  CREATE TABLE catalog (
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    spec TEXT,
    enabled INTEGER NOT NULL,
    by TEXT,
    revision INTEGER NOT NULL,
    created_at REAL NOT NULL,
    updated_at REAL NOT NULL,
    PRIMARY KEY (kind, name)
  ) STRICT;

  CREATE TABLE descriptions (
    version INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    description TEXT,
    at REAL NOT NULL
  ) STRICT;
  CREATE INDEX descriptions_name ON descriptions (name);

  CREATE TABLE artifacts (
    id INTEGER PRIMARY KEY,
    hash TEXT UNIQUE,
    name TEXT UNIQUE,
    bytes INTEGER NOT NULL,
    chars INTEGER NOT NULL,
    session INTEGER NOT NULL,
    used_at REAL NOT NULL
  ) STRICT;
  CREATE INDEX artifacts_used ON artifacts (used_at);
  CREATE INDEX artifacts_unfinished ON artifacts (session) WHERE hash IS NULL;
  CREATE TABLE artifact_pieces (
    artifact INTEGER NOT NULL REFERENCES artifacts (id) ON DELETE CASCADE,
    n INTEGER NOT NULL,
    first_char INTEGER NOT NULL,
    content BLOB NOT NULL,
    UNIQUE (artifact, n)
  ) STRICT;

  CREATE TABLE approvals (
    execution_id TEXT PRIMARY KEY,
    run_id TEXT,
    pending TEXT NOT NULL,
    decision TEXT,
    created_at REAL NOT NULL
  ) STRICT;
  CREATE INDEX approvals_open ON approvals (created_at) WHERE decision IS NULL;
  CREATE TABLE grants (
    id TEXT PRIMARY KEY,
    tool TEXT NOT NULL,
    body TEXT NOT NULL,
    at REAL NOT NULL
  ) STRICT;
  `,
  `
  ALTER TABLE ledger ADD COLUMN after_seq INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE ledger ADD COLUMN seal BLOB;
  ALTER TABLE ledger ADD COLUMN principal TEXT;
  ALTER TABLE journal ADD COLUMN after_seq INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE artifacts ADD COLUMN labels TEXT;
  `,
  `
  ALTER TABLE runs ADD COLUMN principal TEXT;
  ALTER TABLE ledger ADD COLUMN source TEXT;
  `,
  `
  CREATE TABLE waits (
    n INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    execution_id TEXT NOT NULL,
    call_id TEXT NOT NULL,
    name TEXT NOT NULL,
    run_id TEXT,
    principal TEXT,
    note TEXT,
    created_at REAL NOT NULL,
    expires_at REAL,
    next_at REAL,
    tokens TEXT,
    body TEXT,
    ended_how TEXT,
    ended_at REAL,
    ended_by TEXT,
    ended_body TEXT,
    CHECK ((ended_how IS NULL) = (ended_at IS NULL))
  ) STRICT;
  CREATE INDEX waits_due ON waits (next_at) WHERE next_at IS NOT NULL;
  CREATE INDEX waits_open ON waits (created_at) WHERE ended_at IS NULL;
  CREATE INDEX waits_open_kind ON waits (kind, created_at) WHERE ended_at IS NULL;
  CREATE INDEX waits_execution ON waits (execution_id);
  CREATE INDEX waits_run ON waits (run_id) WHERE run_id IS NOT NULL;
  CREATE INDEX waits_ended ON waits (ended_at) WHERE ended_at IS NOT NULL;
  CREATE TABLE wait_counts (kind TEXT PRIMARY KEY, open INTEGER NOT NULL) STRICT;
  CREATE TRIGGER wait_added AFTER INSERT ON waits WHEN new.ended_at IS NULL BEGIN
    INSERT INTO wait_counts VALUES (new.kind, 1) ON CONFLICT (kind) DO UPDATE SET open = open + 1;
  END;
  CREATE TRIGGER wait_ended AFTER UPDATE OF ended_at ON waits WHEN old.ended_at IS NULL AND new.ended_at IS NOT NULL BEGIN
    UPDATE wait_counts SET open = open - 1 WHERE kind = new.kind;
  END;
  INSERT INTO waits (id, kind, execution_id, call_id, name, run_id, principal, note, created_at, expires_at, next_at, body,
      ended_how, ended_at, ended_by, ended_body)
    SELECT execution_id || ':approval', 'approval', execution_id, coalesce(pending ->> '$.callId', ''),
      coalesce(pending ->> '$.name', ''), run_id, pending -> '$.principal',
      (SELECT group_concat(value, '; ') FROM json_each(pending, '$.reasons')), created_at, pending ->> '$.expiresAt',
      iif(decision IS NULL, pending ->> '$.expiresAt', NULL), pending,
      decision ->> '$.decision', decision ->> '$.at', decision -> '$.by', decision
    FROM approvals ORDER BY created_at, rowid;
  DROP TABLE approvals;

  CREATE TABLE ledger_with_waiting (
    id INTEGER PRIMARY KEY,
    execution_id TEXT NOT NULL UNIQUE,
    fingerprint TEXT NOT NULL,
    name TEXT NOT NULL,
    version TEXT,
    args TEXT,
    call_id TEXT NOT NULL,
    run_id TEXT,
    session INTEGER REFERENCES sessions (id),
    state TEXT NOT NULL CHECK (state IN ('open', 'waiting', 'completed', 'failed', 'unknown')),
    result TEXT,
    intended_at REAL NOT NULL,
    closed_at REAL,
    after_seq INTEGER NOT NULL DEFAULT 0,
    seal BLOB,
    principal TEXT,
    source TEXT,
    CHECK ((result IS NULL) = (state IN ('open', 'waiting'))),
    CHECK ((session IS NULL) = (state = 'waiting'))
  ) STRICT;
  INSERT INTO ledger_with_waiting (id, execution_id, fingerprint, name, version, args, call_id, run_id, session, state, result,
      intended_at, closed_at, after_seq, seal, principal, source)
    SELECT id, execution_id, fingerprint, name, version, args, call_id, run_id, session, state, result,
      intended_at, closed_at, after_seq, seal, principal, source FROM ledger;
  DROP TABLE ledger;
  ALTER TABLE ledger_with_waiting RENAME TO ledger;
  CREATE INDEX ledger_open ON ledger (id) WHERE state = 'open';
  CREATE INDEX ledger_session ON ledger (session) WHERE session IS NOT NULL;
  CREATE INDEX ledger_doubt ON ledger (id) WHERE state IN ('open', 'unknown');
  `,
  `
  CREATE TABLE identity (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    store BLOB NOT NULL,
    generation BLOB NOT NULL,
    life BLOB NOT NULL,
    previous BLOB,
    turn INTEGER NOT NULL DEFAULT 0,
    log INTEGER NOT NULL DEFAULT 0,
    salt INTEGER,
    copied_at REAL,
    restored_from REAL,
    restored_at REAL,
    accepted TEXT
  ) STRICT;
  INSERT INTO identity (id, store, generation, life) VALUES (1, randomblob(16), randomblob(16), randomblob(16));
  CREATE TABLE merged (id INTEGER PRIMARY KEY CHECK (id = 1), log INTEGER NOT NULL, written INTEGER NOT NULL) STRICT;
  INSERT INTO merged VALUES (1, 0, 0);
  CREATE TABLE never_ran (execution_id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
  ALTER TABLE journal ADD COLUMN seal BLOB;
  ALTER TABLE waits ADD COLUMN seal BLOB;
  ALTER TABLE catalog ADD COLUMN seal BLOB;
  ALTER TABLE runs ADD COLUMN seal BLOB;
  `,
];

/** Marks the file as a Toolrig store: "TRIG". */
export const APPLICATION_ID = 0x54524947;
