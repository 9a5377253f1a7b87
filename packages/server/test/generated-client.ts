// Generated from the OpenAPI document by a test. UPDATE_CLIENT=1 writes it anew.
export interface paths {
    "/api/v1/server": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What this server is and can do, and who asks
         * @description Needs the scope `read` or `call`.
         */
        get: operations["getServer"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What changes, as it does (server-sent events)
         * @description At most ten messages a second. The first event is `open`, or `gap` when what came after Last-Event-ID is no longer kept: read the lists anew then. Each `feed` event holds a FeedMessage.
         *
         *     Needs the scope `read`.
         */
        get: operations["followFeed"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/problems/{code}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What the code of a problem means
         * @description Needs no token of the server.
         */
        get: operations["getProblem"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/denied": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Requests that were refused, newest first
         * @description Needs the scope `admin`.
         */
        get: operations["listDenied"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/demo/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start the scripted agent, where the server has it
         * @description Needs the scope `call`: a run may call every tool.
         */
        post: operations["startDemo"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The tools that may be called, with how they do
         * @description Needs the scope `read` or `call`.
         */
        get: operations["listTools"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/definitions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What a model is told of the tools, in the shape that an API takes
         * @description Needs the scope `read` or `call`.
         */
        get: operations["listDefinitions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tools/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A tool: its definition, how it does, who used it
         * @description Needs the scope `read` or `call`.
         */
        get: operations["getTool"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tools/{name}/description": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What models are told of a tool, and what they were
         * @description Needs the scope `read`.
         */
        get: operations["getDescription"];
        /**
         * Tell models something else of a tool
         * @description Needs the scope `admin`.
         */
        put: operations["setDescription"];
        post?: never;
        /**
         * Tell models what the code says of a tool again
         * @description Needs the scope `admin`.
         */
        delete: operations["resetDescription"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/calls": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Calls, newest first; those under way and waiting come on the first page
         * @description Needs the scope `read`.
         */
        get: operations["listCalls"];
        put?: never;
        /**
         * Call a tool
         * @description A call that was made is answered with 200 and its result, also when it failed: `isError` and `failure` say so. 202 is for calls that are not over: with `Prefer: respond-async` or `async`, and those that wait. A call without Idempotency-Key is cancelled when the client goes away before the answer.
         *
         *     Needs the scope `call`, or one that names tools.
         */
        post: operations["callTool"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/calls/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Call several tools as one batch
         * @description Results are in the order of the calls. Each call takes a place of its own among those under way; cancelling one leaves the others as they are.
         *
         *     Needs the scope `call`, or one that names tools.
         */
        post: operations["callTools"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/calls/{executionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How a call stands, and its result once it is over
         * @description Also by the beginning or the end of the id, where that is only one.
         *
         *     Needs the scope `read`; of what one has made oneself, any scope to call.
         */
        get: operations["getCall"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/calls/{executionId}/story": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Everything known of a call
         * @description Needs the scope `read`.
         */
        get: operations["getCallStory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/calls/{executionId}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What happens to a call from now on, until it is over (server-sent events)
         * @description Of a call that another process makes, only its end is told. `call.end` comes once, also of one that is over.
         *
         *     Needs the scope `read`; of what one has made oneself, any scope to call.
         */
        get: operations["followCall"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/calls/{executionId}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a call: one that was sent here, or one that waits
         * @description Needs the scope `call`, or one that names tools.
         */
        post: operations["cancelCall"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/calls/{executionId}/result": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give the result of a call that waits for one, with its own token
         * @description For webhooks: the call's token, as the tool got it, is all that is needed: as Authorization: Bearer, or as ?token= where a service can only be given a URL. It counts once.
         *
         *     Needs no token of the server.
         */
        post: operations["completeCall"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Runs, the latest first
         * @description Needs the scope `read`.
         */
        get: operations["listRuns"];
        put?: never;
        /**
         * Give a task to the model
         * @description Needs the scope `call`: a run may call every tool.
         */
        post: operations["startRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{runId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A run, turn by turn, with its transcript
         * @description Needs the scope `read`.
         */
        get: operations["getRun"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{runId}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What happens from now on in a run of this process, until it is over (server-sent events)
         * @description Needs the scope `read`.
         */
        get: operations["followRun"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{runId}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Continue a run where its journal ends, repeating nothing that has happened
         * @description Whoever started it, or has the scope `admin`: what it does from then on is on behalf of whom it is for.
         *
         *     Needs the scope `call`: a run may call every tool.
         */
        post: operations["resumeRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{runId}/fork": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a new run from the past of another, up to and including a turn
         * @description Of a run of one's own; of others with the scope `read` or `admin`.
         *
         *     Needs the scope `call`: a run may call every tool.
         */
        post: operations["forkRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{runId}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give the task to the model again, with the recorded calls in the place of the tools
         * @description Of a run of one's own; of others with the scope `read` or `admin`.
         *
         *     Needs the scope `call`: a run may call every tool.
         */
        post: operations["replayRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{runId}/steer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Say something to a run, as soon as the calls under way are answered
         * @description Whoever started it, or has the scope `admin`: what it does from then on is on behalf of whom it is for.
         *
         *     Needs the scope `call`: a run may call every tool.
         */
        post: operations["steerRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{runId}/follow-up": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Say something to a run when it has nothing more to do
         * @description Whoever started it, or has the scope `admin`: what it does from then on is on behalf of whom it is for.
         *
         *     Needs the scope `call`: a run may call every tool.
         */
        post: operations["followUpRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{runId}/abort": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End a run; calls under way are cancelled
         * @description Whoever started it, or has the scope `approve` or `admin`.
         *
         *     Needs the scope `call`: a run may call every tool.
         */
        post: operations["abortRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/inbox": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Everything that waits for a person or a result, by expiry, then age
         * @description Needs the scope `read`.
         */
        get: operations["listInbox"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/inbox/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One thing that waits
         * @description Needs the scope `read`.
         */
        get: operations["getInboxItem"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/inbox/{id}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Let a call run, with other arguments where they are given
         * @description Needs the scope `approve`.
         */
        post: operations["approve"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/inbox/{id}/deny": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Do not let a call run
         * @description Needs the scope `approve`.
         */
        post: operations["deny"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/inbox/{id}/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run a call that was approved and that no process runs
         * @description Needs the scope `approve`.
         */
        post: operations["runApproved"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/inbox/{id}/answer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Answer the question of a tool
         * @description Needs the scope `approve`.
         */
        post: operations["answer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/inbox/{id}/decline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Do not answer the question of a tool
         * @description Needs the scope `approve`.
         */
        post: operations["decline"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/inbox/{id}/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give the result of a call that waits for one
         * @description Needs the scope `approve`.
         */
        post: operations["complete"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/inbox/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End what a call waits for
         * @description Needs the scope `approve`.
         */
        post: operations["cancelWait"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/records": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Recorded calls, newest first
         * @description Needs the scope `read`.
         */
        get: operations["listRecords"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/records/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * All that match, oldest first, as they are read
         * @description Needs the scope `read`.
         */
        get: operations["exportRecords"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/records/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether the chain of records is whole
         * @description Reads all records, beside the server's work. One at a time; whoever asks meanwhile gets the same answer.
         *
         *     Needs the scope `read`.
         */
        get: operations["verifyRecords"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/failures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Failures, those alike together, most first
         * @description Of the latest 2,000 that were recorded.
         *
         *     Needs the scope `read`.
         */
        get: operations["listFailures"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/fleet": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Workers, queues and dead letters; without a fleet, this process
         * @description Needs the scope `read`.
         */
        get: operations["getFleet"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/fleet/dead-letters/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a dead letter again, as an execution of its own
         * @description Needs the scope `admin`.
         */
        post: operations["retryDeadLetter"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/fleet/dead-letters/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Drop a dead letter
         * @description Needs the scope `admin`.
         */
        delete: operations["dropDeadLetter"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/artifacts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What was kept of a result or a file, as bytes
         * @description Always as a download that no browser shows or runs. One Range of bytes is honoured. Secrets are masked in text; text of more than 2 MiB is sent as it is, to the scope `admin` alone.
         *
         *     Needs the scope `read`.
         */
        get: operations["getArtifact"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/policy/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * What the policy says to a call, without running it
         * @description Needs the scope `read`.
         */
        post: operations["explainPolicy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description Why a request was not done (RFC 9457). */
        Problem: {
            type: string;
            title: string;
            status: number;
            detail: string;
            code: string;
            issues?: {
                path: string;
                message: string;
            }[];
            /** @description Milliseconds */
            retryAfterMs?: number;
        };
        ServerInfo: {
            /** @constant */
            name: "toolrig";
            version: string;
            /** @description Epoch milliseconds */
            startedAt: number;
            principal: Record<string, never>;
            scopes: string[];
            inbox?: number;
            features: {
                store: boolean;
                engine: boolean;
                approvals: boolean;
                policy: boolean;
                mcp: boolean;
                fleet: boolean;
                demo: boolean;
            };
        };
        Safety: {
            /** @enum {string} */
            sideEffects: "none" | "read" | "write" | "external";
            idempotent: boolean;
            requires: string[];
            declared: boolean;
        };
        ToolStats: {
            calls: number;
            failures: number;
            byBlame: Record<string, never>;
            /** @description Milliseconds */
            p50Ms?: number;
            /** @description Milliseconds */
            p95Ms?: number;
            /** @description Epoch milliseconds */
            lastUsedAt?: number;
            trend: {
                /** @description Milliseconds */
                stepMs: number;
                calls: number[];
                failures: number[];
                p50: (number | null)[];
                p95: (number | null)[];
            };
        };
        ToolLine: {
            name: string;
            version?: string;
            provider?: string;
            title?: string;
            description: string;
            safety: components["schemas"]["Safety"];
            available: boolean;
            reason?: string;
            stats: components["schemas"]["ToolStats"];
        };
        ToolDetail: {
            name: string;
            version?: string;
            provider?: string;
            title?: string;
            description: string;
            safety: components["schemas"]["Safety"];
            available: boolean;
            reason?: string;
            stats: components["schemas"]["ToolStats"];
            definition: Record<string, never>;
            ownDescription?: string;
            /** @description Milliseconds */
            timeoutMs?: number;
            recentInputs: {
                args: unknown;
                /** @description Epoch milliseconds */
                at: number;
                executionId: string;
                isError: boolean;
            }[];
            users: {
                id: string;
                calls: number;
                /** @description Epoch milliseconds */
                lastAt: number;
            }[];
        };
        /** @description A call on one line. Of one execution the one with the highest revision counts. */
        CallLine: {
            executionId: string;
            revision: number;
            callId: string;
            name: string;
            runId?: string;
            parentId?: string;
            principal?: string;
            source: string;
            gist: string;
            /** @enum {string} */
            state: "running" | "waiting" | "ok" | "failed" | "unknown";
            /** @description Epoch milliseconds */
            startedAt: number;
            /** @description Epoch milliseconds */
            endedAt?: number;
            /** @description Milliseconds */
            durationMs?: number;
            note?: string;
            progress?: number;
            waiting?: {
                /** @enum {string} */
                kind: "approval" | "question" | "deferred" | "external" | "background";
                /** @description Epoch milliseconds */
                since: number;
                /** @description Epoch milliseconds */
                expiresAt?: number;
            };
            attempt?: number;
            repaired?: boolean;
            cached?: boolean;
            failure?: {
                /** @enum {string} */
                kind: "validation" | "not_found" | "denied" | "unavailable" | "transient" | "timeout" | "cancelled" | "unknown" | "budget" | "fatal";
                code: string;
                message: string;
                /** @enum {string} */
                blame: "model" | "tool" | "world" | "policy" | "caller";
            };
            /** @enum {string} */
            verdict?: "asked" | "denied" | "rewrote";
        };
        /** @description A run on one line. */
        RunLine: {
            runId: string;
            revision: number;
            /** @enum {string} */
            kind: "loop" | "structured" | "plan" | "script";
            task: string;
            /** @enum {string} */
            state: "running" | "waiting" | "answered" | "failed" | "aborted" | "open" | "ended";
            /** @description Epoch milliseconds */
            startedAt: number;
            /** @description Epoch milliseconds */
            updatedAt: number;
            /** @description Epoch milliseconds */
            endedAt?: number;
            turns: number;
            calls?: number;
            failures?: number;
            principal?: string;
            forkedFrom?: {
                runId: string;
                turn: number;
            };
            here: boolean;
        };
        /** @description What changed since the message before. */
        FeedMessage: {
            calls: components["schemas"]["CallLine"][];
            runs: components["schemas"]["RunLine"][];
            inbox?: number;
            more?: number;
        };
        /** @description A call of a tool. */
        CallRequest: {
            /** @description Of the tool */
            name: string;
            /** @description An object, or the text that a model wrote */
            arguments?: unknown;
            /** @description Of the model's call. Default: one is made */
            id?: string;
            /** @description A version range such as "^1.2". Default: the newest */
            version?: string;
            runId?: string;
            requestId?: string;
            /** @description Answer 202 at once; GET /calls/{executionId} has the result */
            async?: boolean;
            /**
             * @description What happens to a call that waits for the world: "return" (default) answers with what it waits for, "hold" keeps the request open
             * @enum {string}
             */
            onWaiting?: "hold" | "return";
        };
        CallStatus: {
            executionId: string;
            line: components["schemas"]["CallLine"];
            /** @enum {string} */
            state: "running" | "waiting" | "ok" | "failed" | "unknown";
            result?: components["schemas"]["ToolResult"];
        };
        /** @description Everything known of one call. */
        CallStory: {
            line: components["schemas"]["CallLine"];
            version?: string;
            source: string;
            principal?: Record<string, never>;
            rawArguments: unknown;
            args: unknown;
            repairs: {
                kind: string;
                at?: string;
                message: string;
            }[];
            verdicts: {
                guard: string;
                verdict: string;
                reason?: string;
                sentence: string;
            }[];
            stages: {
                /** @enum {string} */
                name: "prepare" | "wait" | "run" | "retry" | "settle";
                /** @description Milliseconds */
                startMs: number;
                /** @description Milliseconds */
                durationMs: number;
                note?: string;
            }[];
            attempts: {
                attempt: number;
                failure?: components["schemas"]["Failure"];
                /** @description Milliseconds */
                delayMs?: number;
                error?: Record<string, never>;
            }[];
            waits: {
                /** @enum {string} */
                kind: "approval" | "question" | "deferred" | "external" | "background";
                how: string;
                /** @description Milliseconds */
                waitedMs: number;
                by?: string;
            }[];
            updates: {
                /** @description Epoch milliseconds */
                at: number;
                update: Record<string, never>;
            }[];
            effects: {
                effect: Record<string, never>;
                sentence: string;
                diff?: string;
            }[];
            content: Record<string, never>[];
            cut?: {
                bytes: number;
                artifact?: string;
            };
            failure?: components["schemas"]["Failure"];
            labels?: unknown;
            children: components["schemas"]["CallLine"][];
            late: Record<string, never>[];
            record?: {
                seq: number;
                hash: string;
                recovered?: boolean;
            };
            commands: {
                label: string;
                command: string;
            }[];
        };
        /** @description What one call came to. */
        ToolResult: {
            callId: string;
            executionId: string;
            name: string;
            isError: boolean;
            content: Record<string, never>[];
            value?: unknown;
            details?: unknown;
            effects?: Record<string, never>[];
            failure?: components["schemas"]["Failure"];
            decoded: Record<string, never>;
            attempts: number;
            /** @description Milliseconds */
            durationMs: number;
            cached?: boolean;
            replayed?: boolean;
            artifact?: string;
            waiting?: Record<string, never>;
            /** @description Milliseconds */
            waitedMs?: number;
        };
        /** @description Why a call did not succeed. */
        Failure: {
            /** @enum {string} */
            kind: "validation" | "not_found" | "denied" | "unavailable" | "transient" | "timeout" | "cancelled" | "unknown" | "budget" | "fatal";
            code: string;
            message: string;
            retryable: boolean;
            details?: unknown;
        };
        /** @description Something that waits for a person or a result. */
        InboxItem: {
            id: string;
            /** @enum {string} */
            kind: "approval" | "question" | "deferred" | "external" | "background";
            executionId: string;
            callId: string;
            name: string;
            runId?: string;
            principal?: Record<string, never>;
            sentence: string;
            reasons: {
                guard?: string;
                text: string;
            }[];
            args: unknown;
            rawArguments?: unknown;
            inputSchema?: Record<string, never>;
            outputSchema?: Record<string, never>;
            question?: {
                text: string;
                schema?: Record<string, never>;
            };
            taint?: {
                name: string;
                executionId?: string;
                labels: string[];
            }[];
            safety?: components["schemas"]["Safety"];
            /** @description Epoch milliseconds */
            createdAt: number;
            /** @description Epoch milliseconds */
            expiresAt?: number;
            approved?: {
                /** @description Epoch milliseconds */
                at: number;
                by?: string;
            };
            may: {
                answer: boolean;
                why?: string;
            };
            note?: string;
        };
        /** @description A task for a model. */
        RunRequest: {
            /** @description The task */
            input: string;
            /** @description The system prompt. Default: the rig's */
            system?: string;
            /** @description Turns with calls. Default 20 */
            maxIterations?: number;
            /**
             * @description What the run does while calls wait for the world: "return" ends it with status "waiting" until it is resumed ("suspend" is an earlier word for that), "continue" lets the model go on
             * @enum {string}
             */
            onWaiting?: "hold" | "return" | "continue" | "suspend";
        };
        /** @description A run, turn by turn. */
        RunDetail: {
            line: components["schemas"]["RunLine"];
            turns: {
                turn: number;
                /** @description Epoch milliseconds */
                startedAt: number;
                /** @description Epoch milliseconds */
                endedAt?: number;
                calls: {
                    line: components["schemas"]["CallLine"];
                    segments: {
                        /** @enum {string} */
                        kind: "queue" | "policy" | "approval" | "wait" | "execute" | "retry";
                        /** @description Epoch milliseconds */
                        startAt: number;
                        /** @description Epoch milliseconds */
                        endAt?: number;
                    }[];
                }[];
            }[];
            transcript: {
                turn: number;
                /** @enum {string} */
                role: "system" | "user" | "assistant" | "tool";
                text: string;
                calls?: Record<string, never>[];
                executionId?: string;
                isError?: boolean;
            }[];
            outcome?: unknown;
            waitingFor: components["schemas"]["InboxItem"][];
            children: components["schemas"]["RunLine"][];
            commands: {
                label: string;
                command: string;
            }[];
        };
        FailureGroup: {
            /** @enum {string} */
            kind: "validation" | "not_found" | "denied" | "unavailable" | "transient" | "timeout" | "cancelled" | "unknown" | "budget" | "fatal";
            /** @enum {string} */
            blame: "model" | "tool" | "world" | "policy" | "caller";
            fingerprint: string;
            code: string;
            tool: string;
            message: string;
            count: number;
            /** @description Epoch milliseconds */
            firstAt: number;
            /** @description Epoch milliseconds */
            lastAt: number;
            example: string;
            trend: number[];
        };
        /** @description A recorded call, with its place in the chain. */
        StoredRecord: {
            seq: number;
            hash: string;
            executionId: string;
            callId: string;
            name: string;
            source: string;
            rawArguments?: unknown;
            args?: unknown;
            result: components["schemas"]["ToolResult"];
            verdicts?: Record<string, never>[];
            /** @description Epoch milliseconds */
            startTime: number;
            /** @description Epoch milliseconds */
            endTime: number;
            /** @description Milliseconds */
            durationMs?: number;
            timing?: Record<string, never>;
        };
        AuditVerdict: {
            intact: boolean;
            records: number;
            first?: Record<string, never>;
            last?: Record<string, never>;
            keyed: boolean;
            problems: Record<string, never>[];
            /** @description Epoch milliseconds */
            checkedAt: number;
            /** @description Milliseconds */
            tookMs: number;
        };
        FleetState: {
            connected: boolean;
            local: {
                running: number;
                waiting: number;
                slots?: number;
            };
            workers: Record<string, never>[];
            queues: Record<string, never>[];
            deadLetters: Record<string, never>[];
        };
        RetriedLetter: {
            executionId?: string;
        };
        PolicyQuestion: {
            tool: string;
            args?: unknown;
            principal?: string;
            /** @enum {string} */
            source?: "model" | "extracted" | "script" | "tool" | "mcp" | "http" | "cli" | "remote";
            runLabels?: string[];
        };
        PolicyAnswer: {
            /** @enum {string} */
            verdict: "allow" | "deny" | "ask" | "refused";
            sentence: string;
            rule?: string;
            rules: {
                name: string;
                matched: boolean;
                why: string;
            }[];
            failure?: components["schemas"]["Failure"];
        };
        DemoStarted: {
            runId: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getServer: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The server */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServerInfo"];
                };
            };
            /** @description Why it was not done */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    followFeed: {
        parameters: {
            query?: {
                /** @description The id of the last message that was seen, as Last-Event-ID */
                after?: string;
            };
            header?: {
                /** @description The id of the last message that was seen */
                "Last-Event-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Events until the client leaves */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            /** @description Why it was not done */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getProblem: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The code */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description Why it was not done */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listDenied: {
        parameters: {
            query?: {
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The latest */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items?: Record<string, never>[];
                    };
                };
            };
            /** @description Why it was not done */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    startDemo: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It runs */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DemoStarted"];
                };
            };
            /** @description Why it was not done */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listTools: {
        parameters: {
            query?: {
                /** @description Words in the name or the description */
                q?: string;
                provider?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Sorted by name */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["ToolLine"][];
                        cursor?: string;
                    };
                };
            };
            /** @description Why it was not done */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listDefinitions: {
        parameters: {
            query?: {
                /** @description Default "toolrig" */
                shape?: "toolrig" | "ai-sdk" | "openai" | "openai-responses" | "anthropic";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Those that could run now. ai-sdk: by name; others: a list */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        shape?: string;
                        tools?: unknown;
                    };
                };
            };
            /** @description Why it was not done */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getTool: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The tool */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolDetail"];
                };
            };
            /** @description Why it was not done */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getDescription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What is told now, and what was */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description Why it was not done */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    setDescription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    description: string;
                };
            };
        };
        responses: {
            /** @description What is told now, and what was */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description Why it was not done */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    resetDescription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What is told now, and what was */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description Why it was not done */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listCalls: {
        parameters: {
            query?: {
                /** @description Any of these, with commas */
                tool?: string;
                /** @description Any of running, waiting, ok, failed, unknown, with commas */
                state?: string;
                /** @description Failures of any of model, tool, world, policy, caller, with commas */
                blame?: string;
                run?: string;
                /** @description In the name, the gist, the note and the failure's message, whatever the case */
                q?: string;
                /** @description Default 200 */
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page */
            200: {
                headers: {
                    /** @description Where to follow the feed from so that nothing is missed */
                    "Toolrig-Feed-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["CallLine"][];
                        cursor?: string;
                    };
                };
            };
            /** @description Why it was not done */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    callTool: {
        parameters: {
            query?: never;
            header?: {
                /** @description Up to 255 characters. The same key with the same request is the same execution: it is not made again */
                "Idempotency-Key"?: string;
                /** @description respond-async: answer at once with 202 */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Of the tool */
                    name: string;
                    /** @description An object, or the text that a model wrote */
                    arguments?: unknown;
                    /** @description Of the model's call. Default: one is made */
                    id?: string;
                    /** @description A version range such as "^1.2". Default: the newest */
                    version?: string;
                    runId?: string;
                    requestId?: string;
                    /** @description Answer 202 at once; GET /calls/{executionId} has the result */
                    async?: boolean;
                    /**
                     * @description What happens to a call that waits for the world: "return" (default) answers with what it waits for, "hold" keeps the request open
                     * @enum {string}
                     */
                    onWaiting?: "hold" | "return";
                };
            };
        };
        responses: {
            /** @description What it came to */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolResult"];
                };
            };
            /** @description It is not over */
            202: {
                headers: {
                    /** @description Where its result will be */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallStatus"];
                };
            };
            /** @description Why it was not done */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    callTools: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    calls: {
                        /** @description Of the model's call. Default: one is made */
                        id?: string;
                        /** @description Of the tool */
                        name: string;
                        /** @description An object, or the text that a model wrote */
                        arguments?: unknown;
                        /** @description A version range such as "^1.2". Default: the newest */
                        version?: string;
                    }[];
                    /** @enum {string} */
                    mode?: "parallel" | "sequential";
                    /**
                     * @description What happens to a call that waits for the world: "return" (default) answers with what it waits for, "hold" keeps the request open
                     * @enum {string}
                     */
                    onWaiting?: "hold" | "return";
                    runId?: string;
                    requestId?: string;
                };
            };
        };
        responses: {
            /** @description What they came to */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        results: components["schemas"]["ToolResult"][];
                    };
                };
            };
            /** @description Why it was not done */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getCall: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                executionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The call */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallStatus"];
                };
            };
            /** @description Why it was not done */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getCallStory: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                executionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The story */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallStory"];
                };
            };
            /** @description Why it was not done */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    followCall: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                executionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Events, without secrets */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Why it was not done */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cancelCall: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                executionId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description It is cancelled, or will be at once */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Why it was not done */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    completeCall: {
        parameters: {
            query?: {
                token?: string;
            };
            header?: never;
            path: {
                executionId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description What the tool would have returned */
                    value?: unknown;
                    failure?: {
                        message: string;
                        retryable?: boolean;
                    };
                };
            };
        };
        responses: {
            /** @description It counts */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description Why it was not done */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listRuns: {
        parameters: {
            query?: {
                /** @description Any of these, with commas */
                state?: string;
                /** @description In the task and the id, whatever the case */
                q?: string;
                /** @description Default 200 */
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["RunLine"][];
                        cursor?: string;
                    };
                };
            };
            /** @description Why it was not done */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    startRun: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The task */
                    input: string;
                    /** @description The system prompt. Default: the rig's */
                    system?: string;
                    /** @description Turns with calls. Default 20 */
                    maxIterations?: number;
                    /**
                     * @description What the run does while calls wait for the world: "return" ends it with status "waiting" until it is resumed ("suspend" is an earlier word for that), "continue" lets the model go on
                     * @enum {string}
                     */
                    onWaiting?: "hold" | "return" | "continue" | "suspend";
                };
            };
        };
        responses: {
            /** @description It runs */
            201: {
                headers: {
                    /** @description The run */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        runId: string;
                    };
                };
            };
            /** @description Why it was not done */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The run */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunDetail"];
                };
            };
            /** @description Why it was not done */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    followRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Events, without secrets */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Why it was not done */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    resumeRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It runs */
            201: {
                headers: {
                    /** @description The run */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        runId: string;
                    };
                };
            };
            /** @description Why it was not done */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    forkRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                runId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    turn: number;
                    input?: string;
                };
            };
        };
        responses: {
            /** @description It runs */
            201: {
                headers: {
                    /** @description The run */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        runId: string;
                    };
                };
            };
            /** @description Why it was not done */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    replayRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It runs */
            201: {
                headers: {
                    /** @description The run */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        runId: string;
                    };
                };
            };
            /** @description Why it was not done */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    steerRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                runId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    text: string;
                };
            };
        };
        responses: {
            /** @description It will be delivered */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Why it was not done */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    followUpRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                runId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    text: string;
                };
            };
        };
        responses: {
            /** @description It will be delivered */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Why it was not done */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    abortRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description It ends */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Why it was not done */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listInbox: {
        parameters: {
            query?: {
                kind?: "approval" | "question" | "deferred" | "external";
                run?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What waits */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["InboxItem"][];
                        cursor?: string;
                    };
                };
            };
            /** @description Why it was not done */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getInboxItem: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What waits */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InboxItem"];
                };
            };
            /** @description Why it was not done */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    approve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description What it runs with instead */
                    args?: unknown;
                    /** @description From now on without asking, within these bounds */
                    remember?: {
                        constraints?: Record<string, never>;
                        thisRun?: boolean;
                        thisPrincipal?: boolean;
                        /** @description Such as "1h" */
                        for?: string | number;
                    };
                    /** @description Of the arguments that were seen: it counts only for those */
                    fingerprint?: string;
                };
            };
        };
        responses: {
            /** @description It counts */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Why it was not done */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deny: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description It counts */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Why it was not done */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    runApproved: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description It runs */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Why it was not done */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    answer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    value: unknown;
                };
            };
        };
        responses: {
            /** @description It counts */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Why it was not done */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    decline: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description It counts */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Why it was not done */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    complete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description What the tool would have returned */
                    value?: unknown;
                    failure?: {
                        message: string;
                        retryable?: boolean;
                    };
                };
            };
        };
        responses: {
            /** @description It counts */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Why it was not done */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cancelWait: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description It counts */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Why it was not done */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listRecords: {
        parameters: {
            query?: {
                tool?: string;
                kind?: "ok" | "error" | "validation" | "not_found" | "denied" | "unavailable" | "transient" | "timeout" | "cancelled" | "unknown" | "budget" | "fatal";
                run?: string;
                execution?: string;
                /** @description Ended at or after, in epoch milliseconds */
                since?: number;
                /** @description Ended before, in epoch milliseconds */
                until?: number;
                /** @description Words in the arguments, the content or the failure */
                text?: string;
                /** @description A file that was changed, or a folder in which one was */
                path?: string;
                limit?: number;
                cursor?: string;
                order?: "newest" | "oldest";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["StoredRecord"][];
                        cursor?: string;
                    };
                };
            };
            /** @description Why it was not done */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    exportRecords: {
        parameters: {
            query?: {
                tool?: string;
                kind?: "ok" | "error" | "validation" | "not_found" | "denied" | "unavailable" | "transient" | "timeout" | "cancelled" | "unknown" | "budget" | "fatal";
                run?: string;
                execution?: string;
                /** @description Ended at or after, in epoch milliseconds */
                since?: number;
                /** @description Ended before, in epoch milliseconds */
                until?: number;
                /** @description Words in the arguments, the content or the failure */
                text?: string;
                /** @description A file that was changed, or a folder in which one was */
                path?: string;
                /** @description Default "ndjson" */
                format?: "ndjson" | "csv";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A line each */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
            /** @description Why it was not done */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    verifyRecords: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The verdict */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditVerdict"];
                };
            };
            /** @description Why it was not done */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listFailures: {
        parameters: {
            query?: {
                /** @description Ended at or after, in epoch milliseconds */
                since?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Groups */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["FailureGroup"][];
                    };
                };
            };
            /** @description Why it was not done */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getFleet: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The fleet */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FleetState"];
                };
            };
            /** @description Why it was not done */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    retryDeadLetter: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is in the queue again */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RetriedLetter"];
                };
            };
            /** @description Why it was not done */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    dropDeadLetter: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Why it was not done */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getArtifact: {
        parameters: {
            query?: never;
            header?: {
                /** @description bytes=FROM-TO */
                Range?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of it */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            /** @description The range */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            /** @description Why it was not done */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    explainPolicy: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    tool: string;
                    args?: unknown;
                    principal?: string;
                    /** @enum {string} */
                    source?: "model" | "extracted" | "script" | "tool" | "mcp" | "http" | "cli" | "remote";
                    runLabels?: string[];
                };
            };
        };
        responses: {
            /** @description The verdict */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyAnswer"];
                };
            };
            /** @description Why it was not done */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
}
