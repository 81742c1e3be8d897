// Generated from the OpenAPI document by `make ui-types`.

export interface paths {
    "/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The browser interface */
        get: operations["get-"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/backups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List backups */
        get: operations["get-backups"];
        put?: never;
        /**
         * Start a backup
         * @description The backup contains the crawls, the archive, the users and the templates, as of one point in
         *     time. Crawls continue to run. Poll the backup until its state is `complete`. Only one backup is
         *     written at a time.
         */
        post: operations["post-backups"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/backups/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the state of a backup */
        get: operations["get-backups-name"];
        put?: never;
        post?: never;
        /** Delete a backup */
        delete: operations["delete-backups-name"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/clusters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List clusters
         * @description The clusters of the last clustering, the largest first.
         */
        get: operations["get-clusters"];
        put?: never;
        /**
         * Start a clustering
         * @description Clusters the entities of the archive, or assigns new ones to the existing clusters. The result
         *     replaces the stored one when it is complete. Poll `GET /api/v1/clusters` until `job.running` is
         *     false.
         */
        post: operations["post-clusters"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/clusters/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a cluster */
        get: operations["get-clusters-id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/compare": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Compare two crawls
         * @description Documents, domains and candidates that both have or only one of them, changes of rank, and the yield by requests.
         */
        get: operations["get-compare"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/crawls": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List crawls */
        get: operations["get-crawls"];
        put?: never;
        /**
         * Start a crawl
         * @description Seeds are URIs, labels that are looked up in the archive, the seeds of a template, or values in
         *     instance data. All errors in the seeds are reported in one response. The crawl is queued until a
         *     slot is free, and then runs until it ends. When the response is sent, the crawl is durable: it
         *     survives a restart of the service.
         */
        post: operations["post-crawls"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/crawls/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a crawl
         * @description While it runs, the counters are updated every second.
         */
        get: operations["get-crawls-id"];
        put?: never;
        post?: never;
        /**
         * Delete a crawl
         * @description It is stopped and deleted with all its data, including its graphs in the archive. Its ID
         *     is not used again.
         */
        delete: operations["delete-crawls-id"];
        options?: never;
        head?: never;
        /**
         * Change a crawl
         * @description Changes the name, limits and patterns of a crawl, also while it runs. They are stored with its settings. URIs that
         *     wait and are out of scope now are dropped; links that were dropped and are in scope now are queued when nothing else
         *     waits. A finished crawl can be resumed after a change. With `dry_run=true`, nothing changes.
         */
        patch: operations["patch-crawls-id"];
        trace?: never;
    };
    "/api/v1/crawls/{id}/candidates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List candidates
         * @description The candidates of the last ranking, the best first. A running crawl can be ranked, too.
         */
        get: operations["get-crawls-id-candidates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/crawls/{id}/candidates.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download candidates
         * @description All selected candidates as CSV, the best first. Values that look like a formula are prefixed
         *     with `'`, so that spreadsheets do not evaluate them.
         */
        get: operations["get-crawls-id-candidates.csv"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/crawls/{id}/candidates/facets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count candidates
         * @description By type, domain, hop, mark and score, for the candidates that match a filter.
         */
        get: operations["get-crawls-id-candidates-facets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/crawls/{id}/candidates/marks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the changes of marks
         * @description Who marked what, and when, the last change first. Very long histories are compacted: then only
         *     the last change of each marked entity is left.
         */
        get: operations["get-crawls-id-candidates-marks"];
        put?: never;
        /**
         * Mark candidates
         * @description Candidates are selected by IRI, by a filter, or both. Marks are durable when the response is
         *     sent. They belong to entities, not to ranks, so they survive a new ranking. The owner of the crawl,
         *     its reviewers and admins may mark.
         */
        post: operations["post-crawls-id-candidates-marks"];
        /**
         * Undo a change of marks
         * @description Undoes your last change, or the given one. Each further request without `change` undoes your change
         *     before that. Marks that were changed since stay. If there is nothing to undo, the request has no
         *     effect. The change of another user can be undone by the owner of the crawl and by admins.
         */
        delete: operations["delete-crawls-id-candidates-marks"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/crawls/{id}/candidates/marks/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the changes of marks by request
         * @description One entry for each request that changed marks, the last one first: who, when, how many, and with
         *     which filter.
         */
        get: operations["get-crawls-id-candidates-marks-changes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/crawls/{id}/document": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a document
         * @description Its provenance as JSON, or its statements as N-Quads.
         */
        get: operations["get-crawls-id-document"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/crawls/{id}/documents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List documents
         * @description Lists documents with statements, in the order in which they were fetched, or the newest first. The crawl may be
         *     running.
         */
        get: operations["get-crawls-id-documents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/crawls/{id}/domains": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the domains of a crawl
         * @description Queues, outcomes, delays with their source, and what delays the crawl most. The counts are read from the records of
         *     all URIs, at most every few seconds.
         */
        get: operations["get-crawls-id-domains"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/crawls/{id}/domains/{domain}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a domain of a crawl
         * @description With its robots.txt files as fetched, and the URIs that are requested next.
         */
        get: operations["get-crawls-id-domains-domain"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/crawls/{id}/download/nquads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download the harvest
         * @description All current statements of a crawl as N-Quads, compressed if the client accepts `gzip`.
         */
        get: operations["get-crawls-id-download-nquads"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/crawls/{id}/download/nquads.gz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Download the harvest as a gzip file */
        get: operations["get-crawls-id-download-nquads.gz"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/crawls/{id}/download/report": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download the report
         * @description The report of the last run, or the current counters if the crawl runs.
         */
        get: operations["get-crawls-id-download-report"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/crawls/{id}/download/warc": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the recordings
         * @description The WARC files of a crawl that was started with `record_warc`; empty for other crawls.
         */
        get: operations["get-crawls-id-download-warc"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/crawls/{id}/download/warc/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Download a recording */
        get: operations["get-crawls-id-download-warc-name"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/crawls/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Subscribe to the events of a crawl
         * @description The same events as for all crawls; the first one has the whole crawl. The stream ends
         *     after `deleted`.
         */
        get: operations["get-crawls-id-events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/crawls/{id}/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Explain a URI
         * @description How it was found, how the strategy judged it, its outcome, and the ranks of its entities.
         *     While the crawl runs, also why it is still waiting. For a URI that was not found, the `hint` of the problem says what
         *     the crawl would do with it.
         */
        get: operations["get-crawls-id-explain"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/crawls/{id}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the last export */
        get: operations["get-crawls-id-export"];
        put?: never;
        /**
         * Export a crawl to the archive
         * @description The export is a named graph. It replaces the previous export atomically, and is durable when the
         *     response is sent. For a focused crawl it contains the statements about its candidates, about its
         *     seeds unless they are dropped, and about the blank nodes in them; for any other crawl, it
         *     contains all statements.
         */
        post: operations["post-crawls-id-export"];
        /** Delete an export */
        delete: operations["delete-crawls-id-export"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/crawls/{id}/fetch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Request a URI
         * @description Adds a URI to the seeds of a crawl. It is queued even if a link to it was dropped. A URI that was requested before
         *     is not requested again. A crawl that does not run requests it when it is resumed.
         */
        post: operations["post-crawls-id-fetch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/crawls/{id}/frontier": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the next requests of a crawl
         * @description The first waiting URIs of all domains or of one, with their priorities.
         */
        get: operations["get-crawls-id-frontier"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/crawls/{id}/log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the log of a crawl
         * @description The outcomes of all settled URIs, in the order in which they were settled, or the newest first. While the crawl runs,
         *     poll for entries after the last number. A URI that is fetched again gets a new entry at the end.
         */
        get: operations["get-crawls-id-log"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/crawls/{id}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause a crawl
         * @description Requests in flight are completed first. The crawl stays paused until it is resumed, even
         *     if the service restarts. Pausing a paused crawl has no effect.
         */
        post: operations["post-crawls-id-pause"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/crawls/{id}/ranking": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the ranking */
        get: operations["get-crawls-id-ranking"];
        put?: never;
        /**
         * Rank candidates
         * @description Ranks the entities of the harvest so far, without sending requests. The crawl may be running,
         *     and may use any strategy. If the client disconnects, the ranking is still completed, and the
         *     event `ranked` is sent.
         */
        post: operations["post-crawls-id-ranking"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/crawls/{id}/rankings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List rankings
         * @description The ranking of the crawl, further rankings (`POST …/ranking?as=NAME`), and rankings that run, with
         *     their progress.
         */
        get: operations["get-crawls-id-rankings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/crawls/{id}/rankings/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Delete a further ranking */
        delete: operations["delete-crawls-id-rankings-name"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/crawls/{id}/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Refresh a crawl
         * @description Revalidates the documents of a crawl that does not run: changed ones are fetched again, deleted ones are removed.
         *     By default only documents that are due.
         */
        post: operations["post-crawls-id-refresh"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/crawls/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume a crawl
         * @description Resumes a paused, stopped or failed crawl, or a finished one whose limits or scope were changed. Resuming a running
         *     crawl has no effect.
         */
        post: operations["post-crawls-id-resume"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/crawls/{id}/reviewers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Set the reviewers of a crawl
         * @description Reviewers may mark its candidates, whatever their role, and undo their own changes. The owner and
         *     admins need not be listed.
         */
        put: operations["put-crawls-id-reviewers"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/crawls/{id}/seeds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the seeds of a crawl
         * @description The origin is included for seeds that were not given as URIs.
         */
        get: operations["get-crawls-id-seeds"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/crawls/{id}/series": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get counters over time
         * @description For charts: the counters of all runs, stored with the crawl.
         */
        get: operations["get-crawls-id-series"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/crawls/{id}/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the settings of a crawl
         * @description All settings that the crawl uses, with the kind of source of each value.
         */
        get: operations["get-crawls-id-settings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/crawls/{id}/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stop a crawl
         * @description Its data stays, and it can be resumed. Stopping a stopped crawl has no effect.
         */
        post: operations["post-crawls-id-stop"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This documentation as a page */
        get: operations["get-docs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/docs/style.css": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Style sheet of the page */
        get: operations["get-docs-style.css"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/entity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an entity
         * @description Its label, types, statements by property with labels and source documents, links to it by property, coordinates, and
         *     the crawls that have statements about it, with its rank and mark.
         */
        get: operations["get-entity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/entity/incoming": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List links to an entity
         * @description The subjects that link to an entity with one property.
         */
        get: operations["get-entity-incoming"];
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
         * Subscribe to the events of all crawls
         * @description Server-sent events, each with an `id` and JSON as its data: `snapshot` (the state of all
         *     crawls; the first event), `state`, `progress` (counters, every second), `ranked`, `marked`,
         *     `exported`, `deleted`, `imported`, `backed-up`, `lagged` (the number of lost events), and with
         *     `requests=true` `request`. `Last-Event-ID` is ignored: the snapshot has the current state.
         */
        get: operations["get-events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/imports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List imports */
        get: operations["get-imports"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/imports/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get an import */
        get: operations["get-imports-name"];
        /**
         * Import instance data
         * @description All statements are stored in one named graph, which replaces the previous one of this
         *     import. Then rules are applied: each rule that matches starts a crawl, unless it has
         *     started one for the same data. If any part cannot be parsed, nothing is imported.
         */
        put: operations["put-imports-name"];
        post?: never;
        /**
         * Delete an import
         * @description Its graph is deleted, too. Crawls that were started for it stay.
         */
        delete: operations["delete-imports-name"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/instances/inspect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Inspect instance data
         * @description Lists the classes and properties of instance data, with the roles of the properties. Nothing is stored. Data without
         *     a statement is rejected.
         */
        post: operations["post-instances-inspect"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/instances/roles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List roles of instance data
         * @description A role is a set of properties whose values can become seeds.
         */
        get: operations["get-instances-roles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/labels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find entities by their names
         * @description Entities of the archive whose label contains all words of the text, the best match first.
         */
        get: operations["get-labels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List proposed links
         * @description The best first, then marked ones that are no longer proposed.
         */
        get: operations["get-links"];
        put?: never;
        /**
         * Start a search for links
         * @description Compares entities of different domains. The proposals replace those with the same predicate when
         *     the job is complete; marks stay. Poll `GET /api/v1/links` until `job.running` is false.
         */
        post: operations["post-links"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/links/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Download the kept links */
        get: operations["get-links-export"];
        put?: never;
        /**
         * Export the kept links to the archive
         * @description Replaces the named graph of links in one transaction.
         */
        post: operations["post-links-export"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/links/marks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the changes of marks of links
         * @description Who marked what, and when, the last change first. `entity` is the link as a statement.
         */
        get: operations["get-links-marks"];
        put?: never;
        /**
         * Mark links
         * @description Marks are durable when the response is sent. They belong to links, not to proposals, so they
         *     survive a new search for links.
         */
        post: operations["post-links-marks"];
        /**
         * Undo your last change of marks of links
         * @description Marks that another user has changed since stay. If there is no change to undo, the request has no
         *     effect.
         */
        delete: operations["delete-links-marks"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the authenticated user and its role. */
        get: operations["get-me"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Change your password. All your sessions end; tokens stay valid. */
        put: operations["put-me-password"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/neighbours": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the neighbourhood of an entity
         * @description A small graph of the entities it links to and that link to it.
         */
        get: operations["get-neighbours"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** OpenAPI document of this API */
        get: operations["get-openapi.json"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/queries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List saved queries */
        get: operations["get-queries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/queries/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a saved query */
        get: operations["get-queries-name"];
        /**
         * Save a query
         * @description Creates or replaces a query. Only its owner or an admin may replace it. The text is not checked:
         *     `POST /api/v1/sparql/check` does that.
         */
        put: operations["put-queries-name"];
        post?: never;
        /** Delete a saved query */
        delete: operations["delete-queries-name"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/removals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List removals */
        get: operations["get-removals"];
        put?: never;
        /**
         * Remove documents on request
         * @description The documents leave all crawls, the archive and the search index, and no crawl fetches them again. No crawl may
         *     run meanwhile. The bytes stay in the files of the harvest and in backups, which nothing reads, until the crawl and
         *     the backup are deleted.
         */
        post: operations["post-removals"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List rules */
        get: operations["get-rules"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/rules/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a rule */
        get: operations["get-rules-name"];
        /**
         * Create or replace a rule
         * @description A rule of an operator applies to the operator's own imports, a rule of an admin to all.
         *     It is applied when data is imported. The empty rule (`{}`) starts a crawl for every
         *     import, with the values of the default roles as seeds.
         */
        put: operations["put-rules-name"];
        post?: never;
        /**
         * Delete a rule
         * @description Crawls that it has started stay.
         */
        delete: operations["delete-rules-name"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search for entities
         * @description Finds entities of the archive, crawled or imported, by plain words. A stored document can be found
         *     after about two seconds.
         */
        get: operations["get-search"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/seeds/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check seeds
         * @description Takes the request for a crawl and starts nothing: the state of each URI and label, the seeds of template and
         *     instance data, how the seeds are linked in the archive, and an estimate. Sends no request to the web, unless
         *     `seeds.labels_endpoint` is set.
         */
        post: operations["post-seeds-check"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Log in, for browsers: the response sets a cookie. Programs should use a token. */
        post: operations["post-session"];
        /** Log out: ends the session of the cookie. */
        delete: operations["delete-session"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List all settings
         * @description The settings of the service with their documentation, default and current value. Crawls use them,
         *     unless their template or request sets another value.
         */
        get: operations["get-settings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/similar": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List similar entities
         * @description Compares the statements, neighbours, predicates and words of all entities with those of one.
         */
        get: operations["get-similar"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sparql/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check a query or an update
         * @description Parses and plans a text with the parser that runs it, and runs nothing. Errors have their place.
         */
        post: operations["post-sparql-check"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/templates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List templates
         * @description Shipped templates, and templates of users. A template of a user hides a shipped one with
         *     the same name.
         */
        get: operations["get-templates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/templates/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a template */
        get: operations["get-templates-name"];
        /**
         * Create or replace a template
         * @description The body is TOML, as described in `docs/seeds.md`; its name must be the name in the path.
         *     Existing crawls are not affected. A template belongs to the user that creates it. Only admins
         *     may create a template that hides a shipped one.
         */
        put: operations["put-templates-name"];
        post?: never;
        /**
         * Delete a template
         * @description A shipped template that it has hidden is visible again.
         */
        delete: operations["delete-templates-name"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/terms": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find terms of the archive
         * @description Classes, properties and graphs with their numbers, for completion. They are read at most every few seconds. At most
         *     100,000 graphs are listed.
         */
        get: operations["get-terms"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List your tokens. Admins may list the tokens of another user. */
        get: operations["get-tokens"];
        put?: never;
        /** Create a token. */
        post: operations["post-tokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tokens/{id}": {
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
         * Revoke a token, and all tokens created with it. Admins may revoke tokens of other users. A
         *     token cannot revoke tokens of a higher role.
         */
        delete: operations["delete-tokens-id"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List all users. */
        get: operations["get-users"];
        put?: never;
        /** Add a user. */
        post: operations["post-users"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a user. */
        get: operations["get-users-name"];
        put?: never;
        post?: never;
        /** Remove a user, with all tokens and sessions. The crawls of the user stay. */
        delete: operations["delete-users-name"];
        options?: never;
        head?: never;
        /** Change a user. */
        patch: operations["patch-users-name"];
        trace?: never;
    };
    "/assets/{file}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A file of the browser interface
         * @description The names contain a digest of the content, so a file never changes.
         */
        get: operations["get-assets-file"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Check that the process is alive */
        get: operations["get-health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get metrics
         * @description Metrics for Prometheus, in the OpenMetrics format.
         */
        get: operations["get-metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check that the service is ready
         * @description Succeeds if the archive is readable and writable, the disk is not full, and the service is not
         *     shutting down.
         */
        get: operations["get-ready"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sparql": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Run a query
         * @description SPARQL 1.1 Protocol. Without parameters, the service description is returned. Outside of
         *     `GRAPH`, a query reads the union of all graphs unless it has `FROM`.
         */
        get: operations["get-sparql"];
        put?: never;
        /**
         * Run a query or an update
         * @description An update needs the role `service.update_role`. It is atomic, and durable when it is
         *     confirmed.
         */
        post: operations["post-sparql"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/store": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a graph
         * @description SPARQL 1.1 Graph Store HTTP Protocol. Without a graph, all graphs are returned, as
         *     quads, except those with provenance.
         */
        get: operations["get-store"];
        /**
         * Create or replace a graph
         * @description Needs the role `service.update_role`. Durable when it is confirmed.
         */
        put: operations["put-store"];
        /**
         * Add to a graph
         * @description Needs the role `service.update_role`. Without a graph, triples become a new graph
         *     (its URL is in `Location`), and quads are added to the graphs they name. Durable when
         *     it is confirmed.
         */
        post: operations["post-store"];
        /**
         * Delete a graph
         * @description Needs the role `service.update_role`.
         */
        delete: operations["delete-store"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/store/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a graph
         * @description SPARQL 1.1 Graph Store HTTP Protocol. Without a graph, all graphs are returned, as
         *     quads, except those with provenance.
         */
        get: operations["get-store-name"];
        /**
         * Create or replace a graph
         * @description Needs the role `service.update_role`. Durable when it is confirmed.
         */
        put: operations["put-store-name"];
        /**
         * Add to a graph
         * @description Needs the role `service.update_role`. Without a graph, triples become a new graph
         *     (its URL is in `Location`), and quads are added to the graphs they name. Durable when
         *     it is confirmed.
         */
        post: operations["post-store-name"];
        /**
         * Delete a graph
         * @description Needs the role `service.update_role`.
         */
        delete: operations["delete-store-name"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/update": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Update the archive
         * @description Needs the role `service.update_role`. An update is atomic, and durable when it is
         *     confirmed.
         */
        post: operations["post-update"];
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
        /**
         * @description How entities are clustered.
         * @enum {string}
         */
        AlgorithmParam: "leiden" | "x-means" | "spectral";
        /**
         * @description Authentication method.
         * @enum {string}
         */
        AuthMethod: "disabled" | "token" | "password" | "session";
        /** @description A backup. */
        Backup: {
            /**
             * Format: u-int64
             * @description Size in bytes.
             */
            bytes?: number | null;
            /** @description Number of crawls in the backup. */
            crawls?: number | null;
            created_at?: components["schemas"]["Timestamp"] | null;
            /** @description Why the backup failed. */
            error?: string | null;
            /** @description Number of files in the backup. */
            files?: number | null;
            /** @description Name of the backup and of its directory. */
            name: string;
            /** @description Program that wrote the backup. */
            program?: string | null;
            /** @description State of the backup. */
            state: components["schemas"]["BackupState"];
        };
        /** @description Data of `backed-up`. */
        BackupEvent: {
            /** @description Whether the backup failed. */
            failed: boolean;
            /** @description Name of the backup. */
            name: string;
        };
        /** @description All backups. */
        BackupList: {
            /** @description Backups, by name. */
            backups: components["schemas"]["Backup"][];
        };
        /**
         * @description The state of a backup.
         * @enum {string}
         */
        BackupState: "running" | "complete" | "failed";
        /** @description What delays a crawl most. */
        Bottleneck: {
            /** @description The domain that takes longest. */
            domain: string;
            /**
             * Format: u-int64
             * @description Number of domains of the crawl.
             */
            domains: number;
            /**
             * Format: double
             * @description How long its queue takes at this delay, in seconds.
             */
            estimate_seconds: number;
            /**
             * Format: u-int64
             * @description Number of domains that are rate-limited.
             */
            limited_domains: number;
            /**
             * Format: u-int64
             * @description Number of URIs that wait in its queue.
             */
            queued: number;
            /** @description The bottleneck as a sentence. */
            text: string;
        };
        /** @description An entity that may be relevant to the seeds. */
        Candidate: {
            /** @description Whether a document about the entity was fetched. */
            described: boolean;
            /** @description IRI of the entity. */
            entity: string;
            /**
             * Format: u-int8
             * @description Number of links from the nearest seed; `null` if the entity is not in this ranking.
             */
            hop?: number | null;
            /** @description Label, if it is known. */
            label?: string | null;
            mark?: components["schemas"]["Mark"] | null;
            /**
             * Format: u-int64
             * @description Rank, from 1.
             */
            rank: number;
            /** @description Contributions to the score of the candidate, the strongest first. */
            reasons: components["schemas"]["Reason"][];
            /**
             * Format: double
             * @description Score. Scores of different rankers cannot be compared. `null` if the entity is listed only
             *     because it is kept: it is not in this ranking.
             */
            score?: number | null;
            /** @description Classes of the entity. */
            types: string[];
        };
        /** @description The most frequent values of a facet. */
        CandidateFacet: {
            /**
             * Format: u-int64
             * @description Number of further values.
             */
            more: number;
            /** @description At most 50 values. */
            values: components["schemas"]["CandidateFacetValue"][];
        };
        /** @description A value of a facet. */
        CandidateFacetValue: {
            /**
             * Format: u-int64
             * @description Number of candidates.
             */
            count: number;
            /** @description The value: the IRI of a type, or a domain. */
            value: string;
        };
        /** @description Counts of the selected candidates. */
        CandidateFacets: {
            /**
             * Format: u-int64
             * @description Number of candidates about which a document was fetched.
             */
            described: number;
            /** @description Candidates by pay-level domain, the most frequent first. */
            domains: components["schemas"]["CandidateFacet"];
            /** @description Candidates by number of links from the nearest seed. */
            hops: components["schemas"]["HopFacet"][];
            /** @description Candidates by mark, whatever marks are selected. */
            marks: components["schemas"]["MarkFacet"];
            /** @description Candidates by score. */
            scores: components["schemas"]["ScoreHistogram"];
            /**
             * Format: u-int64
             * @description Number of selected candidates.
             */
            total: number;
            /** @description Candidates by type, the most frequent first. A candidate may have several types. */
            types: components["schemas"]["CandidateFacet"];
        };
        /** @description A page of candidates, the best first. */
        CandidateListPage: {
            /** @description The candidates. */
            candidates: components["schemas"]["Candidate"][];
            /**
             * Format: u-int64
             * @description Number of further candidates that are not listed because they are dropped.
             */
            dropped: number;
            /**
             * Format: u-int16
             * @description Maximum number of candidates in this page.
             */
            limit: number;
            /**
             * Format: u-int64
             * @description Number of skipped candidates.
             */
            offset: number;
            /** @description The ranking of the candidates. */
            ranking: components["schemas"]["Ranking"];
            /**
             * Format: u-int64
             * @description Total number of candidates that match the query.
             */
            total: number;
        };
        /** @description Parameters of `loadCrawl`. */
        CandidateParams: {
            /**
             * Format: u-int32
             * @description ID of the crawl.
             */
            crawl_id: number;
            /**
             * Format: u-int32
             * @description Maximum number of candidates; default: all. An addition to the published API.
             */
            limit?: number;
            /**
             * Format: u-int32
             * @description Number of candidates to skip. An addition to the published API.
             */
            offset?: number;
        };
        /**
         * @description Kind of a SPARQL text.
         * @enum {string}
         */
        CheckedKind: "query" | "update";
        /** @description A cluster. */
        Cluster: {
            /**
             * Format: u-int32
             * @description Number of the cluster.
             */
            id: number;
            /** @description Words that are frequent in the cluster and rare elsewhere. */
            label: string;
            /**
             * Format: u-int64
             * @description Number of members.
             */
            size: number;
            /** @description The most frequent types of its members. */
            types: string[];
        };
        /** @description A member of a cluster. */
        ClusterMember: {
            /** @description IRI of the entity. */
            iri: string;
            /** @description Label, or the name in the IRI. */
            label: string;
        };
        /** @description A cluster with a page of its members, those with most links first. */
        ClusterMembers: components["schemas"]["Cluster"] & {
            /**
             * Format: u-int16
             * @description Maximum number of members in this page.
             */
            limit: number;
            /** @description The members. */
            members: components["schemas"]["ClusterMember"][];
            /**
             * Format: u-int32
             * @description Number of skipped members.
             */
            offset: number;
        };
        /** @description A page of clusters, the largest first. */
        ClusterPage: {
            /** @description The clusters. */
            clusters: components["schemas"]["Cluster"][];
            /** @description The state of the last job. */
            job: components["schemas"]["EntityJob"];
            /**
             * Format: u-int16
             * @description Maximum number of clusters in this page.
             */
            limit: number;
            /**
             * Format: u-int32
             * @description Number of skipped clusters.
             */
            offset: number;
            run?: components["schemas"]["ClusterRun"] | null;
            /**
             * Format: u-int64
             * @description Total number of clusters.
             */
            total: number;
        };
        /** @description What was clustered, and when. */
        ClusterRun: {
            /**
             * Format: u-int64
             * @description Number of entities that the last update added.
             */
            added: number;
            /** @description How entities were clustered. */
            algorithm: components["schemas"]["AlgorithmParam"];
            /** @description When the entities were clustered. */
            clustered_at: components["schemas"]["Timestamp"];
            /**
             * Format: u-int32
             * @description The crawl whose entities were clustered; `null` for all.
             */
            crawl?: number | null;
            /** @description Domains of the entities; empty for all. */
            domains: string[];
            /**
             * Format: u-int64
             * @description Number of entities.
             */
            entities: number;
            /** @description Types of the entities; empty for all. */
            types: string[];
            /** @description When new entities were assigned last. */
            updated_at: components["schemas"]["Timestamp"];
        };
        /** @description Two crawls beside each other. */
        Comparison: {
            /** @description Documents. */
            documents: components["schemas"]["Overlap"];
            /** @description Domains with documents. */
            domains: components["schemas"]["Overlap"];
            /** @description Domains that only the first crawl has, the largest first. */
            domains_only_a: components["schemas"]["DomainDocuments"][];
            /** @description Domains that only the second crawl has. */
            domains_only_b: components["schemas"]["DomainDocuments"][];
            rankings?: components["schemas"]["RankingComparison"] | null;
            /** @description Documents of the first crawl after a number of requests. */
            yield_a: components["schemas"]["YieldPoint"][];
            /** @description Documents of the second crawl after a number of requests. */
            yield_b: components["schemas"]["YieldPoint"][];
        };
        /** @description A point on the earth (WGS 84). */
        Coordinates: {
            /**
             * Format: double
             * @description Degrees north of the equator.
             */
            latitude: number;
            /**
             * Format: double
             * @description Degrees east of Greenwich.
             */
            longitude: number;
        };
        /** @description A word that was replaced. */
        CorrectedWord: {
            /** @description The word that was searched. */
            replacement: string;
            /** @description The word as given. */
            word: string;
        };
        /** @description A crawl. */
        Crawl: {
            counters?: components["schemas"]["CrawlCounters"] | null;
            /** @description When the crawl was created. */
            created_at: components["schemas"]["Timestamp"];
            ending?: components["schemas"]["EndProgress"] | null;
            /** @description Why the crawl failed. */
            error?: string | null;
            exported_at?: components["schemas"]["Timestamp"] | null;
            /**
             * Format: u-int32
             * @description ID of the crawl.
             */
            id: number;
            /** @description URLs of related resources. */
            links: components["schemas"]["CrawlLinks"];
            /** @description Name of the crawl. */
            name: string;
            /** @description User of the client for whom the crawl was created (DURAARK API). */
            on_behalf_of?: string | null;
            /** @description Why a running crawl sends no requests: there is not enough disk space. */
            pause_reason?: string | null;
            /** @description Whether responses are recorded as WARC. */
            record_warc: boolean;
            /**
             * Format: double
             * @description Requests per second while the crawl runs.
             */
            requests_per_second?: number | null;
            /** @description Review of the candidates. */
            review: components["schemas"]["Review"];
            /** @description Users besides the owner that may mark candidates. */
            reviewers: string[];
            /** @description Number of seeds. */
            seeds: number;
            /** @description The crawl's own settings, by section, including those of its template. */
            settings: {
                [key: string]: {
                    [key: string]: unknown;
                };
            };
            /** @description State of the crawl. */
            state: components["schemas"]["CrawlState"];
            /** @description Why the service stopped the crawl, and when it can be resumed; or why a finished crawl fetched no document. */
            stop_detail?: string | null;
            stop_reason?: components["schemas"]["StopReason"] | null;
            /** @description Strategy of the crawl. */
            strategy: string;
            /** @description Name of the template that the seeds were created from. */
            template?: string | null;
            updated_at?: components["schemas"]["Timestamp"] | null;
            /** @description Owner; null if the crawl was created on the command line. */
            user?: string | null;
        };
        /** @description A crawl in a snapshot. */
        CrawlBrief: {
            /**
             * Format: u-int32
             * @description ID of the crawl.
             */
            id: number;
            /** @description Name of the crawl. */
            name: string;
            /** @description State of the crawl. */
            state: components["schemas"]["CrawlState"];
        };
        /** @description What a change of a crawl does. */
        CrawlChangeView: {
            /** @description The changed settings as text: `max-depth 2 → 5`. */
            changes: string[];
            /** @description The crawl after the change; before it, for a dry run. */
            crawl: components["schemas"]["Crawl"];
            /**
             * Format: u-int64
             * @description Number of URIs in the queue that are out of scope after the change, and are dropped.
             */
            dropped: number;
            /** @description The domains with the most of them, and their number; at most 10. */
            dropped_by_domain: {
                [key: string]: number;
            };
            /** @description Whether nothing was changed. */
            dry_run: boolean;
            /** @description Some of them, at most 10. */
            examples: string[];
        };
        /** @description Counters of a crawl, over all runs. */
        CrawlCounters: {
            /**
             * Format: u-int64
             * @description Total size of documents after decompression, in bytes.
             */
            bytes: number;
            /**
             * Format: u-int64
             * @description Number of documents that were deleted on their server.
             */
            deleted: number;
            /**
             * Format: u-int64
             * @description Number of documents fetched.
             */
            documents: number;
            /** @description Number of documents by format. */
            documents_by_format: {
                [key: string]: number;
            };
            /** @description Number of documents by number of links from the nearest seed, starting with 0. */
            documents_by_hop: number[];
            /**
             * Format: u-int64
             * @description Number of pay-level domains found.
             */
            domains: number;
            /** @description Number of URIs that were not fetched, by reason. */
            dropped_by_reason: {
                [key: string]: number;
            };
            /**
             * Format: double
             * @description Duration of the last run, in seconds.
             */
            elapsed_seconds: number;
            /** @description Number of faults found in documents, by kind. */
            faults_by_kind: {
                [key: string]: number;
            };
            /**
             * Format: u-int64
             * @description Number of quads stored.
             */
            quads: number;
            /**
             * Format: u-int64
             * @description Number of documents with RDF.
             */
            rdf_documents: number;
            /**
             * Format: u-int64
             * @description Number of redirects.
             */
            redirects: number;
            /**
             * Format: u-int64
             * @description Number of requests of all kinds.
             */
            requests: number;
            /**
             * Format: u-int64
             * @description Number of GET requests for documents.
             */
            requests_get: number;
            /**
             * Format: u-int64
             * @description Number of HEAD requests.
             */
            requests_head: number;
            /**
             * Format: u-int64
             * @description Number of requests for robots.txt.
             */
            requests_robots: number;
            /**
             * Format: u-int64
             * @description Number of URIs whose requests failed permanently.
             */
            uris_failed: number;
            /**
             * Format: u-int64
             * @description Number of URIs that are being fetched.
             */
            uris_in_flight: number;
            /**
             * Format: u-int64
             * @description Number of URIs found.
             */
            uris_known: number;
            /**
             * Format: u-int64
             * @description Number of URIs waiting in the frontier.
             */
            uris_waiting: number;
        };
        /** @description A domain of a crawl. */
        CrawlDomain: {
            /** @description Why its queue was closed, `domain-limit` or `unreachable`; null if it is open. */
            closed?: string | null;
            /** @description Outcomes of its URIs. */
            counts: components["schemas"]["DomainCounts"];
            /**
             * Format: double
             * @description Minimum time between two requests, in seconds.
             */
            delay_seconds: number;
            /** @description Where the delay comes from: `setting` or `robots-txt`. */
            delay_source: string;
            /** @description Name of the domain. */
            domain: string;
            limited?: components["schemas"]["RateLimit"] | null;
            /** @description Whether many URIs wait and no document had RDF, or URIs were dropped as parts of a trap. */
            possible_trap: boolean;
            /**
             * Format: u-int64
             * @description Number of URIs that wait in its queue.
             */
            queued: number;
        };
        /** @description An estimate of the crawl. */
        CrawlEstimate: {
            /**
             * Format: double
             * @description Delay between two requests to a domain.
             */
            delay_seconds: number;
            /** @description Number of documents of seeds. */
            documents: number;
            /** @description Number of domains of seeds. */
            domains: number;
            /**
             * Format: u-int64
             * @description Maximum number of requests, from the limits of the crawl; null if it has none.
             */
            max_requests?: number | null;
            /**
             * Format: double
             * @description Time for the maximum number of requests, if all go to the domains of the seeds; null without a limit. Links
             *     to other domains shorten it, slow servers and crawl delays of robots.txt lengthen it.
             */
            seconds?: number | null;
        };
        /** @description Data of `ranked`, `exported` and `deleted`. */
        CrawlEvent: {
            /** @description When it happened. */
            at: components["schemas"]["Timestamp"];
            /**
             * Format: u-int32
             * @description ID of the crawl.
             */
            crawl: number;
        };
        /** @description Limits of a crawl. The limits of the service apply as well. */
        CrawlLimits: {
            /** @description Limits of each hop: of all documents with the same number of links from the seeds. */
            hops?: {
                /** @description Fetch at most this many documents of a hop. */
                max_documents?: number | null;
                /** @description Fetch at most this many documents of a domain in one hop. */
                max_documents_per_domain?: number | null;
                /** @description Fetch only this many domains of each hop, those with most waiting URIs at its start. The hop of the seeds is exempt. */
                max_domains?: number | null;
                /** @description End a hop when fewer domains than this are left and each was requested once, so that a few large domains do not delay the next hop. The hop of the seeds is exempt. */
                min_domains?: number | null;
            } | null;
            /** @description Follow links at most this many steps from the seeds. Seeds are at 0. A redirect is not a step. No default, because the number of documents is limited already. */
            max_depth?: number | null;
            /** @description Stop after this many documents; 0 for no limit. A document is a response with status 200. If no other limit of the crawl and no `max_depth` is set, a crawl stops after 100,000 documents. */
            max_documents?: number | null;
            /** @description Fetch at most this many documents of a domain. The domain is the pay-level domain: `example.org` for `data.example.org`. No default, because a crawl of one large site is a common use. */
            max_documents_per_domain?: number | null;
            /** @description Stop after this many documents that contain RDF. */
            max_rdf_documents?: number | null;
            /** @description Stop after this many requests. robots.txt is included. Requests are the load on other servers, so this is the limit to set for a budget. */
            max_requests?: number | null;
        };
        /** @description URLs of the resources of a crawl. */
        CrawlLinks: {
            /** @description URL of the candidates. */
            candidates: string;
            /** @description URL of the documents. */
            documents: string;
            /** @description URL of the event stream. */
            events: string;
            /** @description URL of the log: the outcomes of all settled URIs. */
            log: string;
            /** @description URL of the seeds. */
            seeds: string;
            /** @description URL of the crawl itself. */
            self: string;
        };
        /** @description A page of crawls. */
        CrawlListPage: {
            /** @description The crawls. */
            crawls: components["schemas"]["Crawl"][];
            /**
             * Format: u-int16
             * @description Maximum number of crawls in this page.
             */
            limit: number;
            /**
             * Format: u-int32
             * @description Number of skipped crawls.
             */
            offset: number;
            /** @description Total number of matching crawls. */
            total: number;
        };
        /** @description Parameters of `crawl`. */
        CrawlParams: {
            /**
             * Format: u-int8
             * @description Maximum number of links from a seed. Default: depends on the seeds.
             */
            depth?: number;
            /** @description URIs of the seeds, separated by `;`. */
            seeds: string;
            /**
             * @description User of the client for whom the crawl is created: any name. Default: the authenticated
             *     user.
             */
            user?: string;
        };
        /** @description New values for a crawl. What is missing stays as it is. */
        CrawlPatch: {
            /**
             * @description URIs that match one of these regular expressions are not fetched.
             * @default null
             */
            exclude: string[] | null;
            /**
             * @description Only URIs that match one of these regular expressions are fetched; empty for all.
             * @default null
             */
            include: string[] | null;
            /** @default null */
            limits: components["schemas"]["LimitPatch"] | null;
            /**
             * @description Name of the crawl.
             * @default null
             */
            name: string | null;
        };
        /** @description Counters of a crawl over time. */
        CrawlSeries: {
            /** @description At most 2,001 points, the oldest first: one per second for the last 15 minutes of a run, one per minute before. */
            points: components["schemas"]["SeriesPoint"][];
            /**
             * Format: double
             * @description Minimum number of seconds between two points.
             */
            step_seconds: number;
        };
        /** @description Settings by section. */
        CrawlSettings: {
            /** @description The scope of a crawl and its limits. */
            crawl?: {
                /** @description Fetch no URI that matches one of these regular expressions. It applies to redirects, but not to seeds. */
                exclude?: string[];
                /** @description Follow only links with these predicates: IRIs, or names with a usual prefix such as `owl:sameAs`. Empty for all. */
                follow_predicates?: string[];
                /**
                 * @description Follow predicates and classes. The documents of vocabularies are few, and they define the terms of the others.
                 * @default true
                 */
                follow_vocabularies: boolean;
                /**
                 * @description Limits of each hop. They need the strategy "bfs", "bfs-rdf", "heuristic" or "focus". If one of
                 *      them is set, hops are strict.
                 */
                hops?: {
                    /** @description Fetch at most this many documents of a hop. */
                    max_documents?: number;
                    /** @description Fetch at most this many documents of a domain in one hop. */
                    max_documents_per_domain?: number;
                    /** @description Fetch only this many domains of each hop, those with most waiting URIs at its start. The hop of the seeds is exempt. */
                    max_domains?: number;
                    /** @description End a hop when fewer domains than this are left and each was requested once, so that a few large domains do not delay the next hop. The hop of the seeds is exempt. */
                    min_domains?: number;
                    /**
                     * @description Start a hop only after the hop before it is finished, retries included. Off, because a crawl then waits for the slowest server of each hop.
                     * @default false
                     */
                    strict: boolean;
                };
                /** @description Send requests only in these hours of the day, in UTC, such as 22:00-06:00. Outside of them, a crawl pauses. */
                hours?: string;
                /** @description Fetch only URIs that match one of these regular expressions; all URIs if there is none. It applies neither to seeds nor to redirects of fetched URIs. */
                include?: string[];
                /**
                 * @description Which links to follow. "all": links in RDF and in HTML, because many sites are linked from HTML only. "rdf": links in RDF, and redirects.
                 * @default all
                 * @enum {string}
                 */
                links: "all" | "rdf";
                /** @description Stop a run after this many bytes were downloaded, such as 500MB. The next run continues. The bodies of documents count, as they are transferred; requests in flight are completed. */
                max_bytes?: string;
                /** @description Follow links at most this many steps from the seeds. Seeds are at 0. A redirect is not a step. No default, because the number of documents is limited already. */
                max_depth?: number;
                /** @description Stop after this many documents; 0 for no limit. A document is a response with status 200. If no other limit of the crawl and no `max_depth` is set, a crawl stops after 100,000 documents. */
                max_documents?: number;
                /** @description Fetch at most this many documents of a domain. The domain is the pay-level domain: `example.org` for `data.example.org`. No default, because a crawl of one large site is a common use. */
                max_documents_per_domain?: number;
                /** @description Stop after this many documents that contain RDF. */
                max_rdf_documents?: number;
                /** @description Stop after this many requests. robots.txt is included. Requests are the load on other servers, so this is the limit to set for a budget. */
                max_requests?: number;
                /** @description Stop a run after this time, such as 30m or 8h. The next run continues. Pauses count. */
                max_time?: string;
                /** @description Fetch no URI with one of these extensions, instead of the built-in list of images, software packages and the like; [] to fetch all. Strategies that learn still use the extension as evidence. */
                skip_extensions?: string[];
                /**
                 * @description Restrict the crawl to the domains or hosts of the seeds, and of the URIs that seeds redirect to. "off", because linked data is about links between domains.
                 * @default off
                 * @enum {string}
                 */
                stay: "off" | "domain" | "host";
                /**
                 * @description Order in which URIs are fetched. "learned": one online model of all evidence, best first across domains; docs/evaluation.md has the comparison. "ldcoc" and "link-analysis" are published strategies; "bfs", "bfs-rdf", "heuristic" and "nb-online" are their baselines; "nb", "svm" and "knn" need a trained model. "focus" fetches the entities that are relevant to the seeds, see [ranking].
                 * @default learned
                 * @enum {string}
                 */
                strategy: "learned" | "ldcoc" | "link-analysis" | "bfs" | "bfs-rdf" | "heuristic" | "nb-online" | "nb" | "svm" | "knn" | "focus";
            };
            /** @description Data sources other than documents. */
            discover?: {
                /**
                 * @description Read the API of CKAN catalogues. On, because it replaces thousands of requests for pages.
                 * @default true
                 */
                ckan: boolean;
                /** @description Harvest only the statements about instances of this class from SPARQL endpoints. */
                endpoint_class?: string;
                /** @description Harvest only this graph of SPARQL endpoints. */
                endpoint_graph?: string;
                /**
                 * @description Fetch the IRIs in the statements harvested from SPARQL endpoints, too. Off, because the statements of an endpoint usually describe the same as the documents.
                 * @default false
                 */
                follow_harvested: boolean;
                /**
                 * @description Read the sitemaps that a robots.txt names. Off, because most of the listed pages contain no RDF.
                 * @default false
                 */
                sitemaps: boolean;
                /**
                 * @description Read SPARQL endpoints: not at all, their description, or everything. "off": they are fetched as any other document. "describe": the service description and the list of graphs are read. "harvest": all statements are read, page by page. Not "harvest", because it is a high load for a server.
                 * @default describe
                 * @enum {string}
                 */
                sparql_endpoints: "off" | "describe" | "harvest";
                /**
                 * @description Request /.well-known/void from hosts on which RDF was found. Off, because a crawl normally requests only URIs that a document links to.
                 * @default false
                 */
                well_known_void: boolean;
            };
            /** @description How documents are read. */
            extract?: {
                /**
                 * @description Read microformats (hCard, hCalendar, hReview, geo, adr, XFN; and their version 2) as RDF. Off, because their class names also occur on pages that do not use them.
                 * @default false
                 */
                microformats: boolean;
            };
            /**
             * @description The ranking of entities by their relevance to the seeds, for the strategy "focus" and for
             *      `lodeward rank`. See docs/focus.md.
             */
            ranking?: {
                /** @description Add the 100 best results of a search for these words in the archive to the candidates. They are fetched and ranked as if a seed linked to them. Needs the search index. */
                candidate_words?: string[];
                /** @description Languages of texts, the preferred one first; [] for all. A text without a language is always read. If an entity has no text in these languages, another language is used. */
                languages?: string[];
                /**
                 * @description Fetch only this many candidates of each hop, the best ones.
                 * @default 2000
                 */
                max_candidates_per_hop: number;
                /** @description Rank entities up to this many links from a seed. If not set, it is selected from the properties of the seeds: mostly 2. For a crawl with a limit of requests or documents it is 4, because distant entities are then fetched only if they rank high. */
                max_hops?: number;
                /**
                 * @description List at most this many candidates, the best ones.
                 * @default 10000
                 */
                max_listed: number;
                /** @description Parameters of the published rankers. */
                published?: {
                    /**
                     * @description How the weight of a seed is computed from its Katz centrality: "intent" (less central seeds have more weight, as in the text of the paper), "published" (as in the program of the authors), "off" (all have the same weight).
                     * @default intent
                     * @enum {string}
                     */
                    attrition: "intent" | "published" | "off";
                    /**
                     * @description How "ejsim" and "ejsim+" compare texts: as a "set" of terms (as printed), or as a "multiset" (as in the program of the authors).
                     * @default set
                     * @enum {string}
                     */
                    jaccard: "set" | "multiset";
                    /**
                     * @description Attenuation of Katz centrality (α).
                     * @default 0.05
                     */
                    katz_alpha: number;
                    /**
                     * @description Length of the longest walks that Katz centrality counts.
                     * @default 5
                     */
                    katz_length: number;
                    /**
                     * @description Factor by which a ring of "njsim" counts less than the next inner one (α).
                     * @default 0.7
                     */
                    njsim_alpha: number;
                    /**
                     * @description Number of the outermost ring that "njsim" compares (τ).
                     * @default 2
                     */
                    njsim_tau: number;
                    /**
                     * @description Damping of "pagerank" and "ppr" (d).
                     * @default 0.85
                     */
                    pagerank_damping: number;
                    /**
                     * @description Links that the walks of "pagerank" and "ppr" follow: "both" directions, or "forward" from subject to object.
                     * @default both
                     * @enum {string}
                     */
                    pagerank_direction: "forward" | "both";
                    /**
                     * @description Distance assumed for two seeds that are connected by no path, or only by a longer one.
                     * @default 8
                     */
                    path_max: number;
                    /**
                     * @description Text of an entity: its "own", or "with-neighbours". Labels alone are too short to compare.
                     * @default with-neighbours
                     * @enum {string}
                     */
                    text: "own" | "with-neighbours";
                };
                /**
                 * @description Ranker of entities. "auto" selects it from the properties of the seeds; the report states the reason. "hybrid" combines links, walks and texts. Its baselines are "ejsim+", "ejsim", "njsim", "pagerank", "nb" (DURAARK D3.6), and "ppr" (personalised `PageRank`).
                 * @default auto
                 * @enum {string}
                 */
                ranker: "auto" | "hybrid" | "ejsim+" | "ejsim" | "njsim" | "pagerank" | "ppr" | "feedback" | "nb";
                /** @description Words that are ignored, in addition to the built-in list of each language. */
                stop_words?: string[];
                /** @description Properties whose values describe an entity, labels first. The default is a list of common ones (labels, names, titles, comments, descriptions, abstracts). */
                text_properties?: string[];
            };
        };
        /** @description A created crawl. */
        CrawlStarted: {
            /** @description The crawl. */
            crawl: components["schemas"]["Crawl"];
            /**
             * @description Remarks about the seeds (which entity a label was resolved to, what was omitted) and
             *     about limits of the service.
             */
            remarks: string[];
        };
        /**
         * @description The state of a crawl.
         * @enum {string}
         */
        CrawlState: "queued" | "running" | "pausing" | "paused" | "stopping" | "stopped" | "finished" | "failed";
        /** @description The authenticated user. */
        CurrentUser: {
            /** @description User name. */
            name: string;
            /** @description Role of this request: a token may have a lower role than its owner. */
            role: components["schemas"]["Role"];
            /** @description How the request was authenticated. */
            via: components["schemas"]["AuthMethod"];
        };
        /** @description A deleted document. */
        DeletedOutcome: {
            /** @description When a request first showed that the document was deleted. */
            deleted_at: components["schemas"]["Timestamp"];
            /** @description The fault that shows that the document was deleted. */
            fault: components["schemas"]["Fault"];
            /** @description When the document was last fetched. */
            last_seen_at: components["schemas"]["Timestamp"];
        };
        /** @description A document of the harvest. */
        Document: {
            provenance?: components["schemas"]["Provenance"] | null;
            /**
             * Format: u-int64
             * @description Number of quads.
             */
            quads: number;
            /** @description URI of the document, which is also the name of its graph. */
            uri: string;
        };
        /** @description A document with statements. */
        DocumentListEntry: {
            /**
             * Format: u-int64
             * @description Size after decompression, in bytes.
             */
            bytes: number;
            /**
             * Format: u-int16
             * @description Number of links from the nearest seed.
             */
            depth: number;
            /** @description When the document was fetched. */
            fetched_at: components["schemas"]["Timestamp"];
            /** @description Format that was detected. */
            format: string;
            /** @description URL of the details of the document. */
            link: string;
            /**
             * Format: u-int64
             * @description Number of the document. Numbers increase in the order in which documents are fetched; some
             *     numbers are skipped.
             */
            number: number;
            /**
             * Format: u-int64
             * @description Number of quads.
             */
            quads: number;
            /** @description URI of the document. */
            uri: string;
        };
        /** @description A page of documents with statements, in the order in which they were fetched. */
        DocumentListPage: {
            /** @description The documents. */
            documents: components["schemas"]["DocumentListEntry"][];
            /**
             * Format: u-int64
             * @description The value of `after`, or of `before`, for the next page; null if there are no further documents yet.
             */
            next?: number | null;
        };
        /** @description A fetched document. */
        DocumentOutcome: {
            /**
             * Format: u-int64
             * @description Size after decompression, in bytes.
             */
            bytes: number;
            /** @description Media type that the server declared. */
            declared_media_type?: string | null;
            /** @description Faults found in the document. */
            faults: components["schemas"]["Fault"][];
            /** @description When the document was fetched. */
            fetched_at: components["schemas"]["Timestamp"];
            /** @description Format that was detected. */
            format: string;
            /**
             * Format: u-int32
             * @description Number of links found.
             */
            links: number;
            /**
             * Format: u-int64
             * @description Number of quads stored.
             */
            quads: number;
            /** @description Number of quads by format. */
            quads_by_format: {
                [key: string]: number;
            };
            /** @description Kind of RDF: `rdf`, `og-only`, `xhv-only`, `none`. */
            relevance: string;
        };
        /** @description Outcomes of URIs. */
        DomainCounts: {
            /**
             * Format: u-int64
             * @description Size of the documents after decompression, in bytes.
             */
            bytes: number;
            /**
             * Format: u-int64
             * @description Number of documents that were deleted on their server.
             */
            deleted: number;
            /**
             * Format: u-int64
             * @description Number of documents fetched.
             */
            documents: number;
            /** @description Number of URIs that were not requested, by reason. */
            dropped_by_reason: {
                [key: string]: number;
            };
            /**
             * Format: u-int64
             * @description Number of URIs whose requests failed permanently.
             */
            failed: number;
            /** @description Number of faults by kind, of requests and of documents. */
            faults_by_kind: {
                [key: string]: number;
            };
            /**
             * Format: u-int64
             * @description Number of quads stored.
             */
            quads: number;
            /**
             * Format: u-int64
             * @description Number of documents with RDF.
             */
            rdf_documents: number;
            /**
             * Format: double
             * @description Share of documents with RDF, from 0 to 1; null if there are no documents.
             */
            rdf_share?: number | null;
            /**
             * Format: u-int64
             * @description Number of redirects.
             */
            redirected: number;
            /** @description Number of last responses by status code. */
            statuses: {
                [key: string]: number;
            };
            /** @description Number of last responses by class of the status code: `2xx`, `3xx`, `4xx`, `5xx`. */
            statuses_by_class: {
                [key: string]: number;
            };
        };
        /** @description A domain with its robots.txt files and the URIs that are requested next. */
        DomainDetails: {
            /** @description The domain. */
            domain: components["schemas"]["CrawlDomain"];
            /** @description The URIs that are requested next, at most 20. */
            next: components["schemas"]["QueuedUri"][];
            /** @description Its robots.txt files, as fetched; empty if none was requested yet. */
            robots: components["schemas"]["RobotsFile"][];
        };
        /** @description A domain and the number of its documents. */
        DomainDocuments: {
            /**
             * Format: u-int64
             * @description Number of documents.
             */
            documents: number;
            /** @description Name of the domain. */
            domain: string;
        };
        /** @description A page of the domains of a crawl. */
        DomainListPage: {
            /** @description Time of these counts. They are at most a few seconds old. */
            as_of: components["schemas"]["Timestamp"];
            bottleneck?: components["schemas"]["Bottleneck"] | null;
            /** @description The domains. */
            domains: components["schemas"]["CrawlDomain"][];
            /**
             * Format: u-int16
             * @description Maximum number of domains in this page.
             */
            limit: number;
            /**
             * Format: u-int32
             * @description Number of skipped domains.
             */
            offset: number;
            /**
             * Format: u-int64
             * @description Number of URIs that wait, over all domains.
             */
            queued: number;
            /** @description Sums over all domains. */
            sums: components["schemas"]["DomainCounts"];
            /** @description Total number of matching domains. */
            total: number;
        };
        /** @description Why a URI was not requested. */
        DropOutcome: {
            /** @description Reason why the URI was not requested: `robots`, `depth`, `domain-limit`, … */
            reason: string;
        };
        /** @description A candidate of a crawl. */
        DuraarkCandidate: {
            /**
             * Format: u-int64
             * @description Number of links from the nearest seed; missing as `score` is.
             */
            depth?: number;
            /** @description IRI of the entity. */
            entity: string;
            /** @description Label; missing if it is unknown. */
            label?: string;
            /**
             * Format: u-int64
             * @description Rank, from 1.
             */
            rank: number;
            /**
             * Format: double
             * @description Relevance to the seeds; missing if the entity is kept, but not in the last ranking.
             */
            score?: number;
            /** @description Classes of the entity. */
            types: string[];
        };
        /** @description Candidates, the best first. */
        DuraarkCandidates: components["schemas"]["DuraarkCandidate"][];
        /** @description A crawl. */
        DuraarkCrawl: {
            /**
             * Format: u-int32
             * @description ID of the crawl.
             */
            crawl_id: number;
            /** @description When the crawl was created. */
            created_at: components["schemas"]["Timestamp"];
            /**
             * Format: u-int16
             * @description Maximum number of links from a seed; missing if it was not set.
             */
            depth?: number;
            /**
             * Format: u-int64
             * @description Number of documents fetched.
             */
            documents: number;
            /** @description Why the crawl failed; missing unless it has failed. */
            error?: string;
            /** @description Name of the crawl. */
            name: string;
            /** @description Owner; missing if the crawl was created on the command line. */
            owner?: string;
            /**
             * Format: u-int64
             * @description Number of requests sent.
             */
            requests: number;
            /**
             * Format: u-int64
             * @description Number of seeds.
             */
            seed_count: number;
            /** @description The first 100 seeds. */
            seeds: string[];
            /** @description State of the crawl. */
            state: components["schemas"]["CrawlState"];
            /**
             * Format: u-int64
             * @description Number of statements stored.
             */
            statements: number;
            /** @description Strategy of the crawl. */
            strategy: string;
            /** @description When the counters were last updated; missing if the crawl never ran. */
            updated_at?: components["schemas"]["Timestamp"];
            /**
             * Format: u-int64
             * @description Number of URIs waiting in the frontier.
             */
            uris_waiting: number;
            /** @description User for whom the crawl was created; missing if it was created on the command line. */
            user?: string;
        };
        /** @description A created crawl. */
        DuraarkCrawlStarted: {
            /**
             * Format: u-int32
             * @description ID of the crawl.
             */
            crawl_id: number;
            /** @description The result as text. */
            message: string;
            /** @description State of the crawl. */
            state: components["schemas"]["CrawlState"];
        };
        /** @description Crawls, the newest first. */
        DuraarkCrawls: components["schemas"]["DuraarkCrawl"][];
        /** @description A deleted crawl. */
        DuraarkDeleted: {
            /**
             * Format: u-int32
             * @description ID of the crawl, which is not used again.
             */
            crawl_id: number;
            /** @description The result as text. */
            message: string;
        };
        /** @description An exported crawl. */
        DuraarkExported: {
            /**
             * Format: u-int32
             * @description ID of the crawl.
             */
            crawl_id: number;
            /** @description Named graph of the export. */
            graph: string;
            /** @description The result as text. */
            message: string;
            /**
             * Format: u-int64
             * @description Number of statements.
             */
            statements: number;
        };
        /** @description The result of filtering candidates out. */
        DuraarkFiltered: {
            /**
             * Format: u-int32
             * @description ID of the crawl.
             */
            crawl_id: number;
            /**
             * Format: u-int64
             * @description Number of candidates filtered out by this request.
             */
            filtered: number;
            /**
             * Format: u-int64
             * @description Number of candidates that are left.
             */
            left: number;
            /** @description The result as text. */
            message: string;
        };
        /** @description What the end of a run waits for. */
        EndProgress: {
            /**
             * Format: u-int64
             * @description Number of requests or documents that the task has left.
             */
            remaining: number;
            /** @description The task that is running. */
            task: components["schemas"]["EndTask"];
        };
        /**
         * @description A task at the end of a run. The tasks run in this order.
         * @enum {string}
         */
        EndTask: "requests" | "flush" | "followers" | "ranking";
        /** @description An entity of the archive. */
        Entity: {
            coordinates?: components["schemas"]["Coordinates"] | null;
            /** @description The crawls with a statement about it. */
            crawls: components["schemas"]["EntityCrawl"][];
            /** @description Links to it, counted by property, the most frequent first. */
            incoming: components["schemas"]["IncomingCount"][];
            /** @description IRI of the entity. */
            iri: string;
            /** @description Its label, in the preferred language if there is one; null if it has none. */
            label?: string | null;
            /** @description Its statements by property, without types. */
            properties: components["schemas"]["EntityProperty"][];
            /**
             * Format: u-int64
             * @description Number of different statements that were read.
             */
            statements: number;
            /** @description Whether it has more statements than were read (50,000). */
            truncated: boolean;
            /** @description Its types. */
            types: components["schemas"]["TermValue"][];
        };
        /** @description A crawl with a statement about an entity. */
        EntityCrawl: {
            /**
             * Format: u-int32
             * @description ID of the crawl.
             */
            id: number;
            /** @description Mark of the entity in the crawl: `keep` or `drop`; null if it has none. */
            mark?: string | null;
            /** @description The user that set the mark. */
            marked_by?: string | null;
            /** @description Name of the crawl. */
            name: string;
            /**
             * Format: u-int64
             * @description Rank of the entity among the candidates of the crawl; null if it is none.
             */
            rank?: number | null;
        };
        /** @description Entities that are clustered or compared. Default: all of the archive. */
        EntityFilter: {
            /**
             * Format: u-int32
             * @description Only entities that a document of this crawl describes.
             * @default null
             */
            crawl: number | null;
            /**
             * @description Only entities whose IRI is of one of these domains.
             * @default []
             */
            domains: string[];
            /**
             * @description Only entities of one of these types: IRIs, names with a usual prefix, or words of their names.
             * @default []
             */
            types: string[];
        };
        /** @description The state of the last job. */
        EntityJob: {
            /** @description Why the last job failed. */
            error?: string | null;
            /** @description Whether a job runs. */
            running: boolean;
            started_at?: components["schemas"]["Timestamp"] | null;
        };
        /** @description A property of an entity. */
        EntityProperty: {
            /** @description The property. */
            property: components["schemas"]["TermValue"];
            /**
             * Format: u-int64
             * @description Number of different values.
             */
            total: number;
            /** @description The first values. */
            values: components["schemas"]["EntityValue"][];
        };
        /** @description A value of a property. */
        EntityValue: {
            /**
             * Format: u-int64
             * @description Number of graphs with the statement.
             */
            source_count: number;
            /** @description Graphs with the statement, at most ten: mostly source documents. An empty text is the default graph. */
            sources: string[];
            /** @description The value. */
            value: components["schemas"]["TermValue"];
        };
        /** @description An event of a stream. */
        Event: {
            /**
             * @description Data of the event, as JSON: the schema is `SnapshotEvent` (in the stream of a crawl `Crawl`),
             *     `StateEvent`, `ProgressEvent`, `RequestEvent`, `MarkedEvent`, `ImportedEvent`, `BackupEvent`,
             *     `LaggedEvent`, and `CrawlEvent` for all others.
             */
            data: string;
            /** @description Name of the event. */
            event: components["schemas"]["EventName"];
            /** @description Number of the event, counted since the service was started. */
            id: string;
        };
        /**
         * @description The name of an event.
         * @enum {string}
         */
        EventName: "snapshot" | "state" | "progress" | "request" | "ranked" | "marked" | "exported" | "deleted" | "imported" | "backed-up" | "lagged";
        /** @description How a URI was found and judged, and its outcome. */
        Explanation: {
            /**
             * Format: u-int64
             * @description Total number of ranked candidates.
             */
            candidates: number;
            /**
             * Format: u-int16
             * @description Number of links from the nearest seed.
             */
            depth: number;
            due_at?: components["schemas"]["Timestamp"] | null;
            /**
             * Format: u-int8
             * @description Number of failed attempts before the last one.
             */
            failed_attempts: number;
            /** @description How the URI was found, as text. */
            found_by: string;
            /** @description Results of earlier requests. */
            history: components["schemas"]["FetchHistory"];
            judgment?: components["schemas"]["Judgment"] | null;
            outcome?: components["schemas"]["Outcome"] | null;
            /**
             * Format: float
             * @description Priority of the URI in the queue; null if the URI is fetched before all URIs with a priority.
             */
            priority?: number | null;
            /** @description Ranks of the entities that the document describes. */
            ranked: components["schemas"]["RankedEntity"][];
            /** @description Entities that the URI is a seed for. Empty if the URI is not a seed, or was given as a URI. */
            seeds: components["schemas"]["SeedEntity"][];
            /** @description Document in which the URI was found first; null for a seed. */
            source?: string | null;
            /** @description Step of the service harvest that the request belongs to; null if the request is for a document. */
            step?: string | null;
            /** @description The URI. */
            uri: string;
            /** @description Whether the URI is waiting to be fetched, for the first time or again. */
            waiting: boolean;
            /** @description Why the URI is waiting, as text; null if it is not waiting. */
            waiting_reason?: string | null;
            waiting_until?: components["schemas"]["Timestamp"] | null;
        };
        /** @description An export of a crawl. */
        Export: {
            /**
             * Format: u-int64
             * @description Number of exported candidates; missing if the whole crawl was exported.
             */
            candidates?: number | null;
            /**
             * Format: u-int64
             * @description Number of documents with exported statements.
             */
            documents: number;
            /**
             * Format: date-time
             * @description When the crawl was exported.
             */
            exported_at: string;
            /**
             * @description Named graph of the export.
             * @example urn:lodeward:crawl/1
             */
            graph: string;
            /**
             * Format: u-int64
             * @description Number of exported seeds that are not among these candidates; missing if the whole crawl was
             *     exported.
             */
            seeds?: number | null;
            /**
             * Format: u-int64
             * @description Number of statements in the graph.
             */
            statements: number;
        };
        /** @description How often the values of a property occur. */
        Facet: {
            /** @description `type`, `domain` or `language`. */
            name: string;
            /** @description Values, most frequent first. */
            values: components["schemas"]["FacetValue"][];
        };
        /** @description How often a value occurs. */
        FacetValue: {
            /**
             * Format: u-int64
             * @description Number of results.
             */
            count: number;
            /** @description The value. */
            value: string;
        };
        /** @description A failed request. */
        FailureOutcome: {
            /** @description Why the request failed. */
            fault: components["schemas"]["Fault"];
        };
        /** @description Consecutive failures. */
        FailureStreak: {
            /** @description The fault of the last failed request. */
            fault: components["schemas"]["Fault"];
            /**
             * Format: u-int32
             * @description Number of failed requests.
             */
            requests: number;
            /** @description Time of the first failure. */
            since: components["schemas"]["Timestamp"];
        };
        /** @description A fault of a request or of a document. */
        Fault: {
            /** @description Description of the fault. */
            detail: string;
            /** @description Kind of the fault: `dns`, `timeout`, `status`, … */
            kind: string;
        };
        /** @description A feature that contributed to a judgment. */
        Feature: {
            /** @description The feature as text, if its name is known. */
            text?: string | null;
            /**
             * Format: float
             * @description Contribution to the log-odds.
             */
            weight: number;
        };
        /** @description A part of a score. */
        FeatureShare: {
            /** @description Name of the feature. */
            feature: string;
            /**
             * Format: double
             * @description What it adds to the score.
             */
            share: number;
            /**
             * Format: double
             * @description Its value.
             */
            value: number;
        };
        /** @description The result of one request for a URI. */
        FetchEvent: {
            /** @description Time of the request. */
            at: components["schemas"]["Timestamp"];
            /** @description Result: `added`, `unchanged`, `changed`, `deleted`, `restored` or `failed`. */
            kind: string;
        };
        /** @description Results of the requests for a URI. */
        FetchHistory: {
            /**
             * Format: u-int32
             * @description Number of times the document has changed.
             */
            changes: number;
            /** @description The last changes, the oldest first. */
            events: components["schemas"]["FetchEvent"][];
            failing?: components["schemas"]["FailureStreak"] | null;
            /**
             * Format: u-int32
             * @description Number of requests.
             */
            requests: number;
        };
        /** @description Parameters of `filterCrawlCandidates`. */
        FilterParams: {
            /** @description Filter; matching candidates are filtered out. */
            crawl_filter: string;
            /**
             * Format: u-int32
             * @description ID of the crawl.
             */
            crawl_id: number;
        };
        /** @description An entity that was found. */
        FoundEntity: {
            /** @description IRI of the entity. */
            iri: string;
            /** @description Label, or the name in the IRI. */
            label: string;
            /**
             * Format: double
             * @description Score; comparable within one search.
             */
            score: number;
            snippet?: components["schemas"]["Snippet"] | null;
            /** @description IRIs of its types. */
            types: string[];
            /** @description What the score consists of. */
            why: components["schemas"]["FeatureShare"][];
        };
        /** @description What a crawl requests next. */
        FrontierView: {
            /**
             * Format: u-int64
             * @description Number of requests in flight.
             */
            in_flight: number;
            /** @description The URIs that are requested next, one per domain and round. The order changes as the strategy learns. */
            next: components["schemas"]["QueuedUri"][];
            /**
             * Format: u-int64
             * @description Number of URIs that wait, over all domains.
             */
            queued: number;
        };
        /** @description Health of the process. */
        Health: {
            /** @description Name and version of the program. */
            program: string;
            /** @description Always `ok`. */
            status: string;
        };
        /** @description Candidates with the same number of links from the nearest seed. */
        HopFacet: {
            /**
             * Format: u-int64
             * @description Number of candidates.
             */
            count: number;
            /**
             * Format: u-int8
             * @description Number of links; `null` for entities that are not ranked.
             */
            hop?: number | null;
        };
        /** @description Instance data in the archive. */
        Import: {
            /** @description IDs of the crawls started for the import, by rule. */
            crawls: {
                [key: string]: number;
            };
            /** @description Digest of the statements, independent of their order. */
            digest: string;
            /** @description Named graph that contains the statements of the import. */
            graph: string;
            /** @description When the data was last sent. */
            imported_at: components["schemas"]["Timestamp"];
            /** @description Name of the import. */
            name: components["schemas"]["ItemName"];
            /** @description User that owns the import. */
            owner: string;
            /**
             * Format: u-int64
             * @description Number of statements.
             */
            statements: number;
        };
        /** @description A page of imports. */
        ImportPage: {
            /** @description The imports, by name. */
            imports: components["schemas"]["Import"][];
            /**
             * Format: u-int16
             * @description Maximum number of imports in this page.
             */
            limit: number;
            /**
             * Format: u-int32
             * @description Number of skipped imports.
             */
            offset: number;
            /** @description Total number of imports. */
            total: number;
        };
        /** @description The result of an import. */
        ImportResult: {
            /** @description Results of the rules that match the import. */
            enrichments: components["schemas"]["RuleRun"][];
            /** @description The import. */
            import: components["schemas"]["Import"];
        };
        /**
         * @description A rule: which imports start a crawl, and with which seeds. All conditions must match.
         * @example {
         *       "resolve_literals": true,
         *       "roles": [
         *         "places"
         *       ],
         *       "settings": {
         *         "crawl": {
         *           "max_documents": 500
         *         }
         *       },
         *       "types": [
         *         "http://data.duraark.eu/vocab/buildm/PhysicalAsset"
         *       ]
         *     }
         */
        ImportRule: {
            /**
             * @description Whether the rule is active.
             * @default true
             */
            enabled: boolean;
            /**
             * @description Only imports whose name begins with this prefix.
             * @default
             */
            import_prefix: string;
            /**
             * @description Whether the described entities are seeds, too.
             * @default false
             */
            include_subjects: boolean;
            /**
             * @description Properties whose values are seeds.
             * @default []
             */
            properties: string[];
            /**
             * @description Whether literal values are looked up among labels.
             * @default false
             */
            resolve_literals: boolean;
            /**
             * @description Roles whose values are seeds, such as `places`. If no roles, properties and template
             *     are given, the default roles apply.
             * @default []
             */
            roles: string[];
            /**
             * @description Settings of the crawl, by section and key. The default strategy is `focus`, unless
             *     there is a template.
             * @default {}
             */
            settings: {
                [key: string]: {
                    [key: string]: unknown;
                };
            };
            /**
             * @description Name of the template of the crawl.
             * @default null
             */
            template: string | null;
            /**
             * @description Only imports with an instance of one of these classes.
             * @default []
             */
            types: string[];
            /**
             * @description For each placeholder of the template, the properties whose values are inserted into it.
             * @default {}
             */
            values: {
                [key: string]: string[];
            };
        };
        /** @description Data of `imported`. */
        ImportedEvent: {
            /** @description IDs of the crawls that rules have started. */
            crawls: number[];
            /** @description Name of the import. */
            name: string;
            /**
             * Format: u-int64
             * @description Number of statements.
             */
            statements: number;
        };
        /** @description The links to an entity with one property. */
        IncomingCount: {
            /**
             * Format: u-int64
             * @description Number of subjects.
             */
            count: number;
            /** @description The property. */
            property: components["schemas"]["TermValue"];
            /** @description Whether there are more subjects than were counted (1,000). */
            truncated: boolean;
        };
        /** @description A subject that links to an entity. */
        IncomingLink: {
            /** @description A graph with the statement: mostly a source document. */
            source: string;
            /** @description The subject. */
            subject: components["schemas"]["TermValue"];
        };
        /** @description Subjects that link to an entity. */
        IncomingList: {
            /** @description The subjects. */
            subjects: components["schemas"]["IncomingLink"][];
        };
        /** @description A class of instance data. */
        InstanceClass: {
            /** @description IRI of the class. */
            class: string;
            /**
             * Format: u-int64
             * @description Number of records.
             */
            count: number;
        };
        /** @description A file with instance data. */
        InstanceData: {
            /** @description Content of the file. */
            content: string;
            /** @description Media type, such as `text/turtle`. */
            media_type?: string | null;
            /** @description File name; its extension may identify the format. */
            name: string;
        };
        /** @description A property of instance data. */
        InstanceProperty: {
            /** @description At most 3 values. */
            examples: string[];
            /**
             * Format: u-int64
             * @description Number of values that are IRIs.
             */
            iris: number;
            /**
             * Format: u-int64
             * @description Number of values that are literals. They are looked up only with `resolve_literals`.
             */
            literals: number;
            /** @description IRI of the property. */
            property: string;
            /** @description Names of the roles that include the property. */
            roles: string[];
        };
        /** @description A role of values in instance data. */
        InstanceRole: {
            /** @description Name, such as `places`. */
            name: string;
            /** @description Properties with this role. */
            properties: string[];
        };
        /** @description Roles of instance data. */
        InstanceRoleList: {
            /** @description Roles. */
            roles: components["schemas"]["InstanceRole"][];
        };
        /** @description The contents of instance data. */
        InstanceSummary: {
            /** @description At most 200 classes, the most frequent first. */
            classes: components["schemas"]["InstanceClass"][];
            /** @description Faults of the data, at most 3. The data before a fault is included. */
            faults: string[];
            /** @description At most 200 properties, the most frequent first. */
            properties: components["schemas"]["InstanceProperty"][];
            /**
             * Format: u-int64
             * @description Number of described records.
             */
            records: number;
            /**
             * Format: u-int64
             * @description Number of statements.
             */
            statements: number;
        };
        /** @description A created token. */
        IssuedToken: {
            /** @description The token itself. It cannot be retrieved again. */
            secret: string;
            /** @description ID, role and expiry of the token. */
            token: components["schemas"]["Token"];
        };
        /**
         * @description A name of letters, digits, `-` and `_`, which is valid as a file name and as the end of an
         *     IRI.
         * @example buildings
         */
        ItemName: string;
        /** @description The judgment of a strategy about a URI. */
        Judgment: {
            /** @description Features with the highest weights, the strongest first. */
            reasons: components["schemas"]["Feature"][];
            /**
             * Format: float
             * @description Predicted probability that the document has RDF; for a focused crawl, the share of
             *     candidates with a lower score.
             */
            score: number;
            /** @description Judgment as text. */
            text: string;
        };
        /** @description A known seed. */
        KnownSeed: {
            /** @description IRI of the seed. */
            entity: string;
            /**
             * Format: double
             * @description Weight of the seed. The mean weight of all seeds is 1.
             */
            weight: number;
        };
        /** @description An entity whose label matches a text. */
        LabelMatch: {
            /** @description IRI of the entity. */
            entity: string;
            /** @description Label that matches. */
            label: string;
            /** @description Language of the label; empty if it has none. */
            language: string;
            /**
             * Format: u-int64
             * @description Approximate number of statements about the entity; 0 if not counted.
             */
            statements: number;
        };
        /** @description Entities whose labels match a text. */
        LabelMatchList: {
            /** @description The entities, the best match first. */
            matches: components["schemas"]["LabelMatch"][];
        };
        /** @description Data of `lagged`. */
        LaggedEvent: {
            /**
             * Format: u-int64
             * @description Number of lost events.
             */
            count: number;
        };
        /** @description New limits of a crawl. A limit that is missing stays as it is; null removes it. */
        LimitPatch: {
            /**
             * Format: u-int64
             * @description Follow links at most this many steps from the seeds.
             * @default null
             */
            max_depth: number | null;
            /**
             * Format: u-int64
             * @description Stop after this many documents; 0 for no limit.
             * @default null
             */
            max_documents: number | null;
            /**
             * Format: u-int64
             * @description Stop after this many documents with RDF.
             * @default null
             */
            max_rdf_documents: number | null;
            /**
             * Format: u-int64
             * @description Stop after this many requests.
             * @default null
             */
            max_requests: number | null;
        };
        /** @description The graph of kept links in the archive. */
        LinkExport: {
            /**
             * @description Name of the graph.
             * @example urn:lodeward:links
             */
            graph: string;
            /**
             * Format: u-int64
             * @description Number of links.
             */
            links: number;
        };
        /** @description A link. */
        LinkKey: {
            /** @description The predicate. */
            predicate?: components["schemas"]["LinkPredicate"];
            /** @description IRI of the subject. */
            source: string;
            /** @description IRI of the object. */
            target: string;
        };
        /** @description A page of links, the best first. */
        LinkListPage: {
            found_at?: components["schemas"]["Timestamp"] | null;
            /** @description The state of the last job. */
            job: components["schemas"]["EntityJob"];
            /**
             * Format: u-int16
             * @description Maximum number of links in this page.
             */
            limit: number;
            /** @description The links. */
            links: components["schemas"]["ProposedLink"][];
            /**
             * Format: u-int32
             * @description Number of skipped links.
             */
            offset: number;
            /**
             * Format: u-int64
             * @description Total number of links that match.
             */
            total: number;
        };
        /** @description The number of changed marks, and the total number of marks after the change. */
        LinkMarkResult: {
            /** @description Number of changed marks. */
            changed: number;
            /** @description Total number of dropped links. */
            dropped: number;
            /** @description Total number of kept links. */
            kept: number;
            /** @description Number of marks of an undone change that stay, because another user has changed them since. */
            superseded: number;
        };
        /**
         * @description Predicate of a link.
         * @enum {string}
         */
        LinkPredicate: "owl:sameAs" | "skos:related";
        /** @description The outcome of a URI. */
        LogEntry: {
            /**
             * Format: u-int16
             * @description Number of links from the nearest seed.
             */
            depth: number;
            /** @description How the URI was found in that document, as text. */
            found_by: string;
            /**
             * Format: u-int64
             * @description Number of the entry. Numbers increase in the order in which URIs are settled; some numbers
             *     are skipped.
             */
            number: number;
            /** @description Outcome of the URI. */
            outcome: components["schemas"]["Outcome"];
            /** @description Document in which the URI was found first; null for a seed. */
            source?: string | null;
            /** @description The URI. */
            uri: string;
        };
        /** @description A page of outcomes, in the order in which URIs were settled. */
        LogPage: {
            /** @description Entries of the log. */
            entries: components["schemas"]["LogEntry"][];
            /**
             * Format: u-int64
             * @description The value of `after`, or of `before`, for the next page; null if there are no further entries yet.
             */
            next?: number | null;
            totals?: components["schemas"]["LogTotals"] | null;
        };
        /** @description Number of URIs by outcome, of the whole crawl, or of one domain if the request has `domain`. */
        LogTotals: {
            /**
             * Format: u-int64
             * @description Documents that were deleted on their server.
             */
            deleted: number;
            /**
             * Format: u-int64
             * @description Documents.
             */
            document: number;
            /**
             * Format: u-int64
             * @description URIs that were not requested.
             */
            dropped: number;
            /**
             * Format: u-int64
             * @description Failed requests.
             */
            failed: number;
            /**
             * Format: u-int64
             * @description Redirects.
             */
            redirected: number;
        };
        /** @description User name and password. */
        LoginRequest: {
            /**
             * @description User name.
             * @example alice
             */
            name: string;
            /**
             * Format: password
             * @description Password.
             */
            password: string;
        };
        /** @description The user and the expiry of a new session. */
        LoginResponse: {
            /** @description When the session expires. */
            expires_at: components["schemas"]["Timestamp"];
            /** @description User name. */
            name: components["schemas"]["UserName"];
            /** @description Role of the user. */
            role: components["schemas"]["Role"];
        };
        /** @description The mark of a candidate. */
        Mark: {
            at?: components["schemas"]["Timestamp"] | null;
            /** @description User that set the mark. */
            by?: string | null;
            /** @description Kind of the mark. */
            mark: components["schemas"]["MarkKind"];
        };
        /** @description A change of marks by one request. */
        MarkBatch: {
            at?: components["schemas"]["Timestamp"] | null;
            /** @description User that made the change. */
            by?: string | null;
            /**
             * Format: u-int64
             * @description Number of the change: `DELETE …/candidates/marks?change=` undoes it.
             */
            change: number;
            /**
             * Format: u-int64
             * @description Number of changed marks.
             */
            count: number;
            /** @description Filter that selected the entities. */
            filter?: string | null;
            /** @description The first changed entity, by IRI. */
            first: string;
            mark?: components["schemas"]["MarkKind"] | null;
            /**
             * Format: u-int64
             * @description Number of the change that this one undid.
             */
            undoes?: number | null;
            /** @description Whether the change was undone. */
            undone: boolean;
        };
        /** @description A page of changes, the last one first. */
        MarkBatchPage: {
            /** @description The changes. */
            changes: components["schemas"]["MarkBatch"][];
            /**
             * Format: u-int16
             * @description Maximum number of changes in this page.
             */
            limit: number;
            /**
             * Format: u-int32
             * @description Number of skipped changes.
             */
            offset: number;
            /**
             * Format: u-int64
             * @description Total number of changes.
             */
            total: number;
        };
        /** @description A change of a mark. */
        MarkChange: {
            at?: components["schemas"]["Timestamp"] | null;
            /** @description User that made the change. */
            by?: string | null;
            /**
             * Format: u-int64
             * @description Number of the request that made the change; `null` if the history was compacted.
             */
            change?: number | null;
            /** @description IRI of the entity. */
            entity: string;
            mark?: components["schemas"]["MarkKind"] | null;
            previous?: components["schemas"]["MarkKind"] | null;
            /** @description Whether the change undid an earlier change. */
            undo: boolean;
        };
        /** @description Candidates by mark. */
        MarkFacet: {
            /**
             * Format: u-int64
             * @description Candidates marked `drop`.
             */
            drop: number;
            /**
             * Format: u-int64
             * @description Candidates marked `keep`.
             */
            keep: number;
            /**
             * Format: u-int64
             * @description Candidates without a mark.
             */
            none: number;
        };
        /** @description A page of changes of marks, the last change first. */
        MarkHistoryPage: {
            /** @description The changes. */
            changes: components["schemas"]["MarkChange"][];
            /**
             * Format: u-int16
             * @description Maximum number of changes in this page.
             */
            limit: number;
            /**
             * Format: u-int32
             * @description Number of skipped changes.
             */
            offset: number;
            /**
             * Format: u-int64
             * @description Total number of changes.
             */
            total: number;
        };
        /**
         * @description The kind of a mark.
         * @enum {string}
         */
        MarkKind: "keep" | "drop";
        /** @description Data of `marked`. */
        MarkedEvent: {
            /** @description When it happened. */
            at: components["schemas"]["Timestamp"];
            /** @description User that changed the marks. */
            by: string;
            /** @description Number of changed marks. */
            count: number;
            /**
             * Format: u-int32
             * @description ID of the crawl.
             */
            crawl: number;
            /** @description The first 100 changed entities; empty for an undo. */
            entities: string[];
            /** @description Mark that was set: `keep` or `drop`; null if marks were removed, or for an undo. */
            mark?: string | null;
            /** @description Whether an earlier change was undone. Then the client should read the candidates again. */
            undo: boolean;
        };
        /** @description The number of changed marks, and the total number of marks after the change. */
        MarkingResult: {
            /** @description Number of changed marks. */
            changed: number;
            /** @description Total number of dropped candidates. */
            dropped: number;
            /** @description Total number of kept candidates. */
            kept: number;
        };
        /** @description A ranking with its name. */
        NamedRanking: {
            /** @description Name of the further ranking; `null` for the ranking of the crawl. */
            name?: string | null;
            /** @description The ranking. */
            ranking: components["schemas"]["Ranking"];
        };
        /** @description A statement between two nodes. */
        NeighbourEdge: {
            /** @description Position of the subject among the nodes, from 0. */
            from: number;
            /** @description Name of the property with a usual prefix. */
            name?: string | null;
            /** @description IRI of the property. */
            property: string;
            /** @description Position of the object among the nodes, from 0. */
            to: number;
        };
        /** @description A node of a neighbourhood. */
        NeighbourNode: {
            /** @description The IRI. */
            iri: string;
            /** @description Its label. */
            label?: string | null;
        };
        /** @description The neighbourhood of an entity: at most 60 nodes, the 8 rarest properties. */
        Neighbourhood: {
            /** @description The edges between them. */
            edges: components["schemas"]["NeighbourEdge"][];
            /** @description The nodes; the entity is the first. */
            nodes: components["schemas"]["NeighbourNode"][];
            /**
             * Format: u-int64
             * @description Number of neighbours that are left out.
             */
            omitted: number;
        };
        /** @description Parameters of a new backup. */
        NewBackup: {
            /**
             * @description Name of the backup; default: the current time.
             * @example before-upgrade
             */
            name?: string | null;
        };
        /** @description A clustering to start. */
        NewClusters: {
            /** @description How entities are clustered. */
            algorithm?: components["schemas"]["AlgorithmParam"];
            /** @description The entities. */
            entities?: components["schemas"]["EntityFilter"];
            /**
             * @description Whether to assign new entities to the existing clusters, instead of a new clustering. Then all
             *     other fields are ignored.
             */
            extend?: boolean;
            /**
             * Format: u-int16
             * @description Maximum number of clusters of a type, for `x-means` and `spectral`.
             * @default 50
             */
            k_max: number;
            /**
             * Format: u-int16
             * @description Minimum number of clusters of a type, for `x-means` and `spectral`.
             * @default 2
             */
            k_min: number;
        };
        /**
         * @description A request for a crawl. It needs at least one seed: from `seeds`, `labels`, a `template` or
         *     `instances`.
         * @example {
         *       "limits": {
         *         "max_documents": 100
         *       },
         *       "name": "cologne",
         *       "seeds": [
         *         "http://dbpedia.org/resource/Cologne"
         *       ]
         *     }
         */
        NewCrawl: {
            /**
             * @description Names of imports (`PUT /api/v1/imports/{name}`) from which seeds are extracted, like from `instances`.
             * @default []
             */
            imports: string[];
            /**
             * @description Whether the described entities are seeds, too.
             * @default false
             */
            include_subjects: boolean;
            /**
             * @description Files with instance data (RDF) from which seeds are extracted.
             * @default []
             */
            instances: components["schemas"]["InstanceData"][];
            /**
             * @description Names of entities, which are looked up among the labels of the archive.
             * @default []
             */
            labels: string[];
            /**
             * Format: u-int32
             * @description ID of a crawl whose seeds, settings and recording are used, unless this request has others.
             * @default null
             */
            like: number | null;
            /**
             * @description Limits of the crawl.
             * @default {}
             */
            limits: components["schemas"]["CrawlLimits"];
            /**
             * @description Name: unique, at most 100 bytes, no control characters. Default `crawl N`.
             * @default null
             */
            name: string | null;
            /**
             * @description Further properties whose values become seeds. If no roles are given, only these properties
             *     are used.
             * @default []
             */
            properties: string[];
            /**
             * @description Whether responses are recorded as WARC.
             * @default false
             */
            record_warc: boolean;
            /**
             * @description Whether literal values are looked up among labels.
             * @default false
             */
            resolve_literals: boolean;
            /**
             * @description Roles of the properties whose values become seeds. Default: the usual roles.
             * @default []
             */
            roles: string[];
            /**
             * @description URIs of seeds.
             * @default []
             */
            seeds: string[];
            /**
             * @description Other settings, by section and key, as in `lodeward.toml`: `{"crawl": {"stay":
             *     "domain"}}`. Only settings about what is crawled are allowed.
             * @default {}
             */
            settings: components["schemas"]["CrawlSettings"];
            /**
             * @description Strategy: `learned` (default), `focus`, `bfs` or another one.
             * @default null
             */
            strategy: string | null;
            /**
             * @description Name of a template.
             * @default null
             */
            template: string | null;
            /**
             * @description Values of the placeholders of the template.
             * @default {}
             */
            values: {
                [key: string]: string[];
            };
        };
        /** @description A mark for some links. */
        NewLinkMarks: {
            /** @description Links to mark. Each must be proposed, or have a mark. */
            links?: components["schemas"]["LinkKey"][];
            /** @description Mark to set on all selected links. */
            mark: components["schemas"]["NewMarkKind"];
            /**
             * Format: double
             * @description Marks all proposed links with at least this score.
             */
            min_score?: number | null;
        };
        /** @description A search for links to start. */
        NewLinks: {
            /** @description The entities that are compared. */
            entities?: components["schemas"]["EntityFilter"];
            /**
             * Format: double
             * @description Minimum score; by default 0 for `owl:sameAs`, 0.5 for `skos:related`.
             */
            min_score?: number | null;
            /** @description Predicate of the links. */
            predicate?: components["schemas"]["LinkPredicate"];
        };
        /**
         * @description Mark to set.
         * @enum {string}
         */
        NewMarkKind: "keep" | "drop" | "none";
        /** @description A mark for some candidates. */
        NewMarks: {
            /** @description Entities to mark, by IRI. Each must be in the list of candidates, or have a mark. */
            entities?: string[] | null;
            /** @description Marks the candidates of the ranking that match this filter; an empty filter matches all. */
            filter?: string | null;
            /** @description Mark to set on all selected entities. */
            mark: components["schemas"]["NewMarkKind"];
            /** @description Name of the further ranking whose candidates are marked; default: the ranking of the crawl. */
            ranking?: string | null;
        };
        /** @description A request to remove documents: a `uri` or a `domain`. */
        NewRemoval: {
            /**
             * @description Who requested the removal; default: the user.
             * @example owner of example.org
             */
            by?: string | null;
            /**
             * @description Domain whose documents are removed, with its subdomains.
             * @example example.org
             */
            domain?: string | null;
            /** @description Why. */
            reason?: string | null;
            /**
             * @description URI of the document.
             * @example https://example.org/data/alice
             */
            uri?: string | null;
        };
        /** @description The reviewers of a crawl. */
        NewReviewers: {
            /** @description Names of users. */
            users: string[];
        };
        /** @description A query to save. */
        NewSavedQuery: {
            /** @description Whether string functions accept IRIs. */
            lenient?: boolean;
            /**
             * @description Text of the query or update.
             * @example SELECT * { ?s ?p ?o } LIMIT 10
             */
            text: string;
            /** @description What it is for. */
            title?: string;
        };
        /** @description Parameters of methods about one crawl. */
        OneCrawlParams: {
            /**
             * Format: u-int32
             * @description ID of the crawl.
             */
            crawl_id: number;
        };
        /** @description A seed of template, instance data or an import. */
        OtherSeed: {
            /** @description IRI of the entity. */
            entity: string;
            /** @description Label of the entity in the archive. */
            label?: string | null;
            /** @description Where the seed comes from, as text. */
            origin: string;
        };
        /** @description The outcome of a URI. */
        Outcome: (components["schemas"]["DocumentOutcome"] & {
            /** @enum {string} */
            kind: "document";
        }) | (components["schemas"]["RedirectOutcome"] & {
            /** @enum {string} */
            kind: "redirected";
        }) | (components["schemas"]["FailureOutcome"] & {
            /** @enum {string} */
            kind: "failed";
        }) | (components["schemas"]["DropOutcome"] & {
            /** @enum {string} */
            kind: "dropped";
        }) | (components["schemas"]["DeletedOutcome"] & {
            /** @enum {string} */
            kind: "deleted";
        });
        /** @description What two crawls have in common, and what only one of them has. */
        Overlap: {
            /**
             * Format: u-int64
             * @description In both.
             */
            both: number;
            /**
             * Format: u-int64
             * @description Only in the first.
             */
            only_a: number;
            /**
             * Format: u-int64
             * @description Only in the second.
             */
            only_b: number;
        };
        /** @description Parameters of methods without published parameters. */
        PageParams: {
            /**
             * Format: u-int32
             * @description Maximum number of crawls, at most 1,000. An addition to the published API.
             */
            limit?: number;
            /**
             * Format: u-int32
             * @description Number of crawls to skip. An addition to the published API.
             */
            offset?: number;
        };
        /**
         * Format: password
         * @description A password of valid length.
         */
        Password: string;
        /** @description Request of a user to change their own password. */
        PasswordChange: {
            /**
             * Format: password
             * @description Current password.
             */
            current: string;
            /** @description New password. */
            new: components["schemas"]["Password"];
        };
        /** @description A placeholder of a template. */
        Placeholder: {
            /** @description Default value. */
            default?: string | null;
            /** @description Description for users. */
            description: string;
            /** @description Kind of the values of the placeholder. */
            kind: components["schemas"]["PlaceholderKind"];
            /** @description Name of the placeholder. */
            name: string;
            /** @description Whether a value is required. */
            required: boolean;
        };
        /**
         * @description The kind of the values of a placeholder.
         * @enum {string}
         */
        PlaceholderKind: "text" | "iri" | "label";
        /** @description A problem (RFC 9457). */
        Problem: {
            /** @description The kind of the problem, for programs. */
            code: components["schemas"]["ProblemCode"];
            /** @description What is wrong with this request. */
            detail: string;
            /** @description The single errors and their places, if the service knows them; at most 100. */
            errors?: components["schemas"]["ProblemError"][];
            /** @description Hint: what to do about the problem. */
            hint?: string | null;
            /**
             * Format: u-int16
             * @description HTTP status code.
             */
            status: number;
            /** @description The kind of the problem, in words. */
            title: string;
            /** @description `urn:lodeward:problem:` and the code. */
            type: string;
        };
        /**
         * @description The kind of a problem. Codes are stable: programs may depend on them.
         * @enum {string}
         */
        ProblemCode: "bad-request" | "unauthenticated" | "forbidden" | "cross-site" | "policy-violation" | "not-found" | "method-not-allowed" | "not-acceptable" | "request-timeout" | "conflict" | "content-too-large" | "unsupported-media-type" | "misdirected" | "unprocessable" | "quota-exceeded" | "rate-limited" | "query-limit" | "bad-gateway" | "internal" | "unavailable";
        /** @description A single error of a request, and its place. */
        ProblemError: {
            /**
             * @description Place of the error: a JSON pointer into the body (RFC 6901), such as `/seeds/3`, or `?` and the name of
             *     a query parameter, such as `?filter`.
             * @example /seeds/3
             * @example ?filter
             */
            at: string;
            /** @description What is wrong. */
            detail: string;
            /** @description First character of the error in the text at `at`, from 0. */
            from?: number;
            /** @description What to do about the error. */
            hint?: string;
            /** @description First character after the error. */
            to?: number;
        };
        /** @description Data of `progress`. */
        ProgressEvent: {
            /** @description When it happened. */
            at: components["schemas"]["Timestamp"];
            /** @description Counters of the crawl. */
            counters: components["schemas"]["CrawlCounters"];
            /**
             * Format: u-int32
             * @description ID of the crawl.
             */
            crawl: number;
        };
        /** @description A proposed link. */
        ProposedLink: {
            mark?: components["schemas"]["Mark"] | null;
            /** @description The predicate. */
            predicate: components["schemas"]["LinkPredicate"];
            /**
             * Format: double
             * @description Logarithm of the odds that both are the same; of `skos:related`, the cosine. `null` for a
             *     marked link that is no longer proposed.
             */
            score?: number | null;
            /** @description IRI of the subject. */
            source: string;
            /** @description Label of the subject; empty for a marked link that is no longer proposed. */
            source_label: string;
            /** @description IRI of the object. */
            target: string;
            /** @description Label of the object; empty for a marked link that is no longer proposed. */
            target_label: string;
            /** @description The evidence. */
            why: components["schemas"]["FeatureShare"][];
        };
        /** @description The provenance of a document. */
        Provenance: {
            /**
             * Format: u-int64
             * @description Size after decompression, in bytes.
             */
            bytes: number;
            /** @description Media type that the server declared. */
            declared_media_type?: string | null;
            /** @description The `ETag` field of the response. */
            etag?: string | null;
            /** @description Faults found in the document. */
            faults: components["schemas"]["Fault"][];
            /** @description When the document was read completely. */
            fetched_at: components["schemas"]["Timestamp"];
            /** @description Format that was detected. */
            format: string;
            /** @description The `Last-Modified` field of the response. */
            last_modified?: string | null;
            /** @description Number of quads by format. */
            quads_by_format: {
                [key: string]: number;
            };
            /** @description Redirects that led to the document, in order. */
            redirects: components["schemas"]["Redirect"][];
            /** @description When the document was requested. */
            requested_at: components["schemas"]["Timestamp"];
            /**
             * Format: u-int16
             * @description Status code of the response.
             */
            status: number;
            /** @description User agent that the crawler sent. */
            user_agent: string;
        };
        /** @description A URI that waits in the queue. */
        QueuedUri: {
            /**
             * Format: u-int16
             * @description Number of links from the nearest seed.
             */
            depth: number;
            /** @description Its domain. */
            domain: string;
            /** @description How it was found, as text. */
            found_by: string;
            /** @description Whether it was requested before. */
            is_revisit: boolean;
            not_before?: components["schemas"]["Timestamp"] | null;
            /**
             * Format: float
             * @description Priority in the queue of its domain; null if it is fetched before all URIs with a priority.
             */
            priority?: number | null;
            /** @description Document in which it was found; null for a seed. */
            source?: string | null;
            /** @description The URI. */
            uri: string;
        };
        /** @description The ranks of a candidate in two rankings. */
        RankChange: {
            /** @description IRI of the candidate. */
            entity: string;
            /** @description Its label. */
            label?: string | null;
            /**
             * Format: u-int64
             * @description Rank in the first ranking.
             */
            rank_a?: number | null;
            /**
             * Format: u-int64
             * @description Rank in the second ranking.
             */
            rank_b?: number | null;
        };
        /** @description The rank of an entity. */
        RankedEntity: {
            /** @description IRI of the entity. */
            entity: string;
            /**
             * Format: u-int64
             * @description Rank, from 1.
             */
            rank: number;
            /** @description Contributions to the score of the entity, the strongest first. */
            reasons: components["schemas"]["Reason"][];
            /**
             * Format: double
             * @description Score of the entity; `null` if it is kept, but not in the last ranking.
             */
            score?: number | null;
        };
        /** @description A ranking of the candidates of a crawl. */
        Ranking: {
            /**
             * Format: u-int64
             * @description Number of ranked candidates.
             */
            candidates: number;
            /**
             * Format: double
             * @description Coherence of the seeds: 1 if all are linked to each other, less the farther apart they are.
             */
            coherence: number;
            /**
             * Format: u-int8
             * @description Value of `max_hops` in the ranking at the end of the crawl, if there was one.
             */
            crawl_max_hops?: number | null;
            /** @description When the ranking was created. */
            created_at: components["schemas"]["Timestamp"];
            /**
             * Format: u-int64
             * @description Number of known entities in the harvest.
             */
            entities: number;
            /**
             * Format: u-int64
             * @description Number of facts that the ranking ignored because of its size limits.
             */
            facts_omitted: number;
            /**
             * Format: u-int64
             * @description Number of links between known entities.
             */
            links: number;
            /**
             * Format: u-int64
             * @description Number of entities in the stored list: the best candidates, and all kept entities.
             */
            listed: number;
            /**
             * Format: u-int64
             * @description Number of marks that the ranker used.
             */
            marks: number;
            /**
             * Format: u-int8
             * @description Maximum number of links between a candidate and a seed.
             */
            max_hops: number;
            /** @description Remarks about the seeds. */
            notes: string[];
            /** @description Name of the ranker. */
            ranker: string;
            /** @description Why the service chose this ranker and this number of hops, as text. */
            reason: string;
            /**
             * Format: u-int64
             * @description Number of seeds that the harvest has statements about.
             */
            seeds_known: number;
            /**
             * Format: u-int64
             * @description Number of seeds that the harvest has no statements about.
             */
            seeds_missing: number;
        };
        /** @description Two rankings beside each other. */
        RankingComparison: {
            /** @description Candidates of both with another rank, the largest change first. */
            moved: components["schemas"]["RankChange"][];
            /** @description The first candidates that only the first ranking has. */
            only_a: components["schemas"]["RankChange"][];
            /** @description The first candidates that only the second ranking has. */
            only_b: components["schemas"]["RankChange"][];
            /** @description Number of candidates that both rankings have among their first 10, 100 and 1,000. */
            overlaps: components["schemas"]["RankingOverlap"][];
        };
        /** @description A ranking with the weights of its seeds. */
        RankingDetail: {
            /** @description The first 1,000 seeds that the harvest has no statements about. They have no weight. */
            missing: string[];
            /** @description The ranking. */
            ranking: components["schemas"]["Ranking"];
            /** @description The first 1,000 seeds that the harvest has statements about, with their weights. */
            seeds: components["schemas"]["SeedWeight"][];
        };
        /** @description The rankings of a crawl. */
        RankingList: {
            /** @description The ranking of the crawl first, if there is one; then further rankings, by name. */
            rankings: components["schemas"]["NamedRanking"][];
            /** @description Rankings that run or wait. */
            running: components["schemas"]["RunningRanking"][];
        };
        /** @description The overlap of two rankings down to a depth. */
        RankingOverlap: {
            /** @description Number of candidates of each ranking. */
            depth: number;
            /**
             * Format: u-int64
             * @description Number of candidates that both have.
             */
            shared: number;
        };
        /** @description Why a domain is rate-limited. */
        RateLimit: {
            /** @description Reason: `delay`, `crawl-delay`, `retry-after`, `back-off`, `retry`, `robots` or `shared`. */
            reason: string;
            /** @description The reason as text. */
            text: string;
            /** @description End of the wait. */
            until: components["schemas"]["Timestamp"];
        };
        /** @description A contribution to the score of a candidate. */
        Reason: {
            /** @description Text that completes the sentence “because it …”. */
            text: string;
            /**
             * Format: double
             * @description Contribution to the score, in the unit of the ranker.
             */
            weight: number;
        };
        /** @description A WARC file with the responses of a crawl. */
        Recording: {
            /**
             * Format: u-int64
             * @description Current size in bytes; the last file grows while the crawl runs.
             */
            bytes: number;
            /**
             * @description File name.
             * @example lodeward-00001.warc.gz
             */
            name: string;
        };
        /** @description The recordings of a crawl. */
        RecordingList: {
            /** @description WARC files, in order. */
            files: components["schemas"]["Recording"][];
        };
        /** @description A redirect. */
        Redirect: {
            /** @description URI that redirected. */
            from: string;
            /**
             * Format: u-int16
             * @description Status code of the redirect.
             */
            status: number;
        };
        /** @description A redirect. */
        RedirectOutcome: {
            /**
             * Format: u-int16
             * @description Status code of the redirect.
             */
            status: number;
            /** @description Target of the redirect, if it can be followed. */
            target?: string | null;
        };
        /** @description A removal. */
        Removal: {
            /** @description When it was requested. */
            at: components["schemas"]["Timestamp"];
            /** @description Who requested it. */
            by: string;
            /** @description Domain whose documents were removed. */
            domain?: string | null;
            /** @description Why. */
            reason?: string | null;
            /** @description URI of the document. */
            uri?: string | null;
        };
        /** @description All removals, oldest first. */
        RemovalList: {
            /** @description The removals. */
            removals: components["schemas"]["Removal"][];
        };
        /** @description The result of a removal. */
        RemovalResult: {
            /** @description The crawls that had such documents. */
            crawls: number[];
            /** @description Crawls whose export to the archive was deleted, because it may repeat the statements. Export them again. */
            deleted_exports: number[];
            /**
             * Format: u-int64
             * @description Number of removed documents, over all crawls.
             */
            documents: number;
            /** @description The removal. */
            removal: components["schemas"]["Removal"];
        };
        /** @description Data of `request`. */
        RequestEvent: {
            /** @description When it happened. */
            at: components["schemas"]["Timestamp"];
            /**
             * Format: u-int64
             * @description Size of the body in bytes, after decompression.
             */
            bytes: number;
            /**
             * Format: u-int32
             * @description ID of the crawl.
             */
            crawl: number;
            /**
             * Format: u-int16
             * @description Number of links from the nearest seed.
             */
            depth: number;
            /**
             * Format: double
             * @description Duration of the request.
             */
            elapsed_seconds: number;
            /** @description Fault, if there was one. */
            fault?: string | null;
            /** @description Media type of the response. */
            media_type?: string | null;
            /**
             * Format: u-int64
             * @description Number of quads in the response.
             */
            quads: number;
            /**
             * Format: u-int16
             * @description HTTP status, if there was a response.
             */
            status?: number | null;
            /** @description Requested URI. */
            uri: string;
        };
        /** @description How far candidates are reviewed. */
        Review: {
            /**
             * Format: u-int64
             * @description Number of listed candidates; null if the crawl is not ranked.
             */
            candidates?: number | null;
            /**
             * Format: u-int64
             * @description Number of dropped candidates.
             */
            dropped: number;
            /**
             * Format: u-int64
             * @description Number of kept candidates.
             */
            kept: number;
            ranked_at?: components["schemas"]["Timestamp"] | null;
        };
        /** @description A robots.txt file. */
        RobotsFile: {
            /** @description When it was fetched. */
            fetched_at: components["schemas"]["Timestamp"];
            /** @description The first 32 kB of its text; null if the server has no such file. */
            text?: string | null;
            /** @description URI of the file. */
            uri: string;
        };
        /**
         * @description What a user may do. A higher role includes the permissions of all lower roles.
         * @enum {string}
         */
        Role: "reader" | "operator" | "admin";
        /** @description A rule and its owner. */
        Rule: {
            /**
             * @description Whether the rule applies to the imports of all users (a rule of an admin), or only to those
             *     of its owner.
             */
            applies_to_all: boolean;
            /** @description When the rule was created. */
            created_at: components["schemas"]["Timestamp"];
            /** @description Name of the rule. */
            name: components["schemas"]["ItemName"];
            /** @description User that created the rule. */
            owner: string;
            /** @description The rule. */
            rule: components["schemas"]["ImportRule"];
        };
        /** @description All rules. */
        RuleList: {
            /** @description Rules, by name. */
            rules: components["schemas"]["Rule"][];
        };
        /**
         * @description Whether a rule started a crawl.
         * @enum {string}
         */
        RuleOutcome: "started" | "unchanged" | "failed";
        /** @description The result of applying a rule to an import. */
        RuleRun: {
            /** @description Problem code of the failure. */
            code?: components["schemas"]["ProblemCode"];
            /**
             * Format: u-int32
             * @description ID of the crawl that the rule started for this data, now or earlier.
             */
            crawl?: number;
            /** @description Whether the rule started a crawl. */
            outcome: components["schemas"]["RuleOutcome"];
            /** @description Why the rule failed. */
            problem?: string;
            /** @description Name of the rule. */
            rule: components["schemas"]["ItemName"];
        };
        /** @description A ranking that runs or waits. */
        RunningRanking: {
            /**
             * Format: u-int64
             * @description Number of documents to read; 0 before the ranking starts, and when all are read.
             */
            documents_left: number;
            /** @description Name of the further ranking; `null` for the ranking of the crawl. */
            name?: string | null;
        };
        /** @description A saved query. */
        SavedQuery: {
            /** @description Whether string functions accept IRIs. */
            lenient: boolean;
            /** @description Name of the query. */
            name: components["schemas"]["ItemName"];
            /** @description The user that saved it. */
            owner: string;
            /** @description When it was saved. */
            saved_at: components["schemas"]["Timestamp"];
            /** @description Text of the query or update. */
            text: string;
            /** @description What it is for. */
            title: string;
        };
        /** @description All saved queries. */
        SavedQueryList: {
            /** @description The queries of all users, by name. */
            queries: components["schemas"]["SavedQuery"][];
        };
        /** @description Candidates in intervals of the score of equal width. */
        ScoreHistogram: {
            /** @description Number of candidates in each of 20 intervals, the lowest first; empty without scores. */
            counts: number[];
            /**
             * Format: double
             * @description The highest score.
             */
            max?: number | null;
            /**
             * Format: double
             * @description The lowest score; `null` if no selected candidate has a score.
             */
            min?: number | null;
        };
        /** @description The results of a search, best first. */
        SearchPage: {
            /** @description Words that are not in the index, and what was searched instead. */
            corrections: components["schemas"]["CorrectedWord"][];
            /** @description How often types, domains and languages occur among the results; empty unless requested. */
            facets: components["schemas"]["Facet"][];
            /**
             * Format: u-int64
             * @description Number of changes of the archive, of up to 128 statements each, that the index does not contain yet; 0 if it
             *     is up to date. After a fast crawl it is behind for some seconds.
             */
            pending: number;
            /** @description The entities. */
            results: components["schemas"]["FoundEntity"][];
        };
        /** @description A seed. */
        Seed: {
            /** @description The entities that the document describes, with their origin. */
            entities: components["schemas"]["SeedEntity"][];
            /** @description URI of the document that is fetched. */
            uri: string;
        };
        /** @description How seeds are linked in the archive: measured in the statements around them, within limits. */
        SeedAnalysis: {
            /**
             * Format: double
             * @description Coherence Γ of the known seeds: 1 if all are linked to each other; null if fewer than two are known.
             */
            coherence?: number | null;
            /** @description Distances between the first 30 known seeds. */
            distances: components["schemas"]["SeedDistance"][];
            /** @description Seeds that the archive has statements about, with their weights. */
            known: components["schemas"]["KnownSeed"][];
            /** @description Remarks, such as seeds that are far from the others. */
            notes: string[];
            /** @description Whether limits were reached, so that some links are missing. */
            partial: boolean;
            /** @description Seeds that the archive has no statements about. They can be crawled. */
            unknown: string[];
        };
        /** @description The result of a check of seeds. */
        SeedCheck: {
            /** @description How the seeds are linked in the archive. */
            analysis: components["schemas"]["SeedAnalysis"];
            /** @description Estimate of the crawl. */
            estimate: components["schemas"]["CrawlEstimate"];
            /** @description The labels of the request, in order. */
            labels: components["schemas"]["SeedLine"][];
            /** @description The first 500 seeds of template, instance data and imports. */
            others: components["schemas"]["OtherSeed"][];
            /** @description Number of seeds of template, instance data and imports. */
            others_total: number;
            /** @description Problems with the seeds of template, instance data and imports. */
            problems: string[];
            /** @description Remarks about the seeds of template, instance data and imports. */
            remarks: string[];
            /** @description The URIs of the request, in order. */
            seeds: components["schemas"]["SeedLine"][];
        };
        /** @description The distance of two seeds. */
        SeedDistance: {
            /** @description IRI of the first seed. */
            from: string;
            /**
             * Format: u-int8
             * @description Number of links between them; null if they are more than 4 links apart.
             */
            links?: number | null;
            /** @description IRI of the second seed. */
            to: string;
        };
        /** @description An entity that is a seed. */
        SeedEntity: {
            /** @description IRI of the entity. */
            entity: string;
            /** @description The label of the entity that matched the requested label. */
            label?: string | null;
            /** @description How the seed was found, as text. */
            origin: string;
            /** @description The label in the request. */
            requested_label?: string | null;
        };
        /** @description A checked URI or label. */
        SeedLine: {
            /** @description Entities with this label, the best match first. For an unknown label, entities with similar labels. */
            choices: components["schemas"]["LabelMatch"][];
            /** @description What is wrong. */
            detail?: string | null;
            /** @description IRI of the entity that becomes a seed. */
            entity?: string | null;
            /** @description What to do about it. */
            hint?: string | null;
            /** @description Label of the entity in the archive. */
            label?: string | null;
            /** @description State of the line. */
            state: components["schemas"]["SeedLineState"];
            /** @description URI or label of the request. */
            text: string;
        };
        /**
         * @description The state of a line.
         * @enum {string}
         */
        SeedLineState: "valid" | "ambiguous" | "unknown" | "invalid" | "blocked" | "duplicate";
        /** @description A page of seeds. */
        SeedListPage: {
            /**
             * Format: u-int16
             * @description Maximum number of seeds in this page.
             */
            limit: number;
            /**
             * Format: u-int32
             * @description Number of skipped seeds.
             */
            offset: number;
            /** @description The seeds. */
            seeds: components["schemas"]["Seed"][];
            /** @description Total number of seeds. */
            total: number;
        };
        /** @description Parameters of `loadCrawlsBySeed`. */
        SeedParams: {
            /**
             * Format: u-int32
             * @description Maximum number of crawls, at most 1,000. An addition to the published API.
             */
            limit?: number;
            /**
             * Format: u-int32
             * @description Number of crawls to skip. An addition to the published API.
             */
            offset?: number;
            /** @description URIs of seeds, separated by `;`. Crawls with at least one of these seeds are listed. */
            seeds: string;
        };
        /** @description A seed and its weight. */
        SeedWeight: {
            /** @description IRI of the seed. */
            entity: string;
            /**
             * Format: double
             * @description Katz centrality, if it could be computed.
             */
            katz?: number | null;
            /**
             * Format: double
             * @description Weight of the seed. The mean weight of all seeds is 1.
             */
            weight: number;
        };
        /** @description Counters of a crawl at one time, over all runs. */
        SeriesPoint: {
            /** @description Time of the counters. */
            at: components["schemas"]["Timestamp"];
            /**
             * Format: u-int64
             * @description Total size of documents after decompression, in bytes.
             */
            bytes: number;
            /**
             * Format: u-int64
             * @description Number of documents fetched.
             */
            documents: number;
            /**
             * Format: u-int64
             * @description Number of quads stored.
             */
            quads: number;
            /**
             * Format: u-int64
             * @description Number of documents with RDF.
             */
            rdf_documents: number;
            /**
             * Format: u-int64
             * @description Number of requests of all kinds.
             */
            requests: number;
            /**
             * Format: u-int64
             * @description Number of URIs whose requests failed permanently.
             */
            uris_failed: number;
            /**
             * Format: u-int64
             * @description Number of URIs that wait in the queue.
             */
            uris_waiting: number;
        };
        /** @description A setting. */
        Setting: {
            /** @description Default; null if there is none. */
            default: unknown;
            /** @description What the setting does, and the reason for its default. */
            description: string;
            /** @description Flag of the command line that sets it. */
            flag?: string | null;
            /** @description What its texts must be, such as `absolute IRI`. */
            format?: string | null;
            /** @description Whether the value is hidden, because it is a secret or names files or hosts of the operator. */
            hidden: boolean;
            /**
             * @description Section and key, as in `lodeward.toml`.
             * @example crawl.max_depth
             */
            key: string;
            /** @description Whether a change needs a restart of the service. */
            needs_restart: boolean;
            /** @description Range of its number; for durations in seconds, for sizes in bytes. */
            range: components["schemas"]["SettingRange"];
            /** @description Whether a crawl remembers its value. */
            remembered: boolean;
            /** @description Whether templates and requests for crawls may set it. */
            settable_by_users: boolean;
            /** @description Kind of the source of the value. */
            source: components["schemas"]["SettingSource"];
            /** @description Type of its value. */
            type: components["schemas"]["SettingType"];
            /** @description Current value; null if there is none or if it is hidden. */
            value: unknown;
            /** @description Values that it accepts; empty if it has no fixed set of values. */
            values: string[];
            /** @description Environment variable that sets it. */
            variable: string;
        };
        /** @description All settings. */
        SettingList: {
            /** @description Settings, by section, in the order of `lodeward.example.toml`. */
            settings: components["schemas"]["Setting"][];
        };
        /** @description A range of numbers. A bound that is null does not apply. */
        SettingRange: {
            /**
             * Format: double
             * @description The number is below this one.
             */
            exclusive_maximum?: number | null;
            /**
             * Format: double
             * @description The number is above this one.
             */
            exclusive_minimum?: number | null;
            /**
             * Format: double
             * @description The number is at most this one.
             */
            maximum?: number | null;
            /**
             * Format: double
             * @description The number is at least this one.
             */
            minimum?: number | null;
        };
        /**
         * @description The kind of the source of a value.
         * @enum {string}
         */
        SettingSource: "default" | "file" | "environment" | "argument" | "crawl";
        /**
         * @description The type of a setting.
         * @enum {string}
         */
        SettingType: "boolean" | "integer" | "number" | "duration" | "size" | "text" | "list" | "lists" | "choice" | "secret";
        /** @description A similar entity. */
        SimilarEntity: {
            /** @description IRI of the entity. */
            iri: string;
            /** @description Label, or the name in the IRI. */
            label: string;
            /**
             * Format: double
             * @description Score; comparable within one list.
             */
            score: number;
            /** @description IRIs of its types. */
            types: string[];
            /** @description What both have in common: statements, neighbours, predicates and words. */
            why: components["schemas"]["FeatureShare"][];
        };
        /** @description Similar entities, the most similar first. */
        SimilarPage: {
            /** @description The entities. */
            results: components["schemas"]["SimilarEntity"][];
        };
        /** @description Data of `snapshot` in the stream of all crawls. */
        SnapshotEvent: {
            /** @description All crawls. */
            crawls: components["schemas"]["CrawlBrief"][];
        };
        /** @description A statement that matches the words. */
        Snippet: {
            /** @description URL of the document; `null` for the default graph. */
            document?: string | null;
            /** @description `label`, `alias`, `description`, `literal`, `type` or `neighbour`. */
            field: string;
            /** @description The text, cut. */
            text: string;
        };
        /** @description A text to check. */
        SparqlCheckRequest: {
            /** @description Whether string functions accept IRIs. */
            lenient?: boolean;
            /** @description Whether the response has the plan of a query. */
            plan?: boolean;
            /**
             * @description Text of a query or an update.
             * @example SELECT * { ?s ?p ?o } LIMIT 10
             */
            sparql: string;
        };
        /** @description The result of a check. */
        SparqlCheckResult: {
            /** @description What is wrong. */
            errors: components["schemas"]["SparqlError"][];
            kind?: components["schemas"]["CheckedKind"] | null;
            /** @description The plan as an indented tree; null unless requested, and for updates. */
            plan?: string | null;
            /** @description Whether the text is a valid query or update. */
            valid: boolean;
        };
        /** @description An error in a SPARQL text. */
        SparqlError: {
            /** @description Column in characters, from 1; null if it is not known. */
            column?: number | null;
            /** @description What is wrong. */
            detail: string;
            /** @description How to fix it. */
            hint?: string | null;
            /** @description Line, from 1; null if it is not known. */
            line?: number | null;
        };
        /** @description A form with a query or an update, not both. */
        SparqlForm: {
            /** @description Default graph of the query. */
            "default-graph-uri"?: string[] | null;
            /** @description Whether string functions accept IRIs, as many published queries expect. */
            lenient?: boolean | null;
            /** @description Named graphs of the query. */
            "named-graph-uri"?: string[] | null;
            /** @description Text of the query. */
            query?: string | null;
            /**
             * Format: double
             * @description Time limit in seconds, if it is lower than that of the service.
             */
            timeout?: number | null;
            /** @description Text of the update. */
            update?: string | null;
            /** @description Default graph of the update. */
            "using-graph-uri"?: string[] | null;
            /** @description Named graphs of the update. */
            "using-named-graph-uri"?: string[] | null;
            /**
             * @description Whether to include the provenance of documents; otherwise only provenance graphs that the request
             *     names are visible.
             */
            "with-provenance"?: boolean | null;
        };
        /** @description Data of `state`. */
        StateEvent: {
            /** @description When it happened. */
            at: components["schemas"]["Timestamp"];
            /**
             * Format: u-int32
             * @description ID of the crawl.
             */
            crawl: number;
            /** @description State of the crawl. */
            state: components["schemas"]["CrawlState"];
        };
        /**
         * @description Why a run ended.
         * @enum {string}
         */
        StopReason: "drained" | "max-requests" | "max-documents" | "max-rdf-documents" | "max-time" | "max-bytes" | "stopped";
        /** @description A seed list with placeholders. */
        Template: {
            /** @description Long description. */
            description: string;
            /** @description Name of the template. */
            name: string;
            /** @description Owner; null if only admins may change it. */
            owner?: string | null;
            /** @description Placeholders of the template. */
            placeholders: components["schemas"]["Placeholder"][];
            /** @description Seeds, with placeholders. */
            seeds: string[];
            /** @description Whether the template is shipped with the program. */
            shipped: boolean;
            /** @description Source text (TOML); not included in lists. */
            text?: string | null;
            /** @description Short description. */
            title: string;
        };
        /** @description All templates. */
        TemplateList: {
            /** @description Templates, by name. */
            templates: components["schemas"]["Template"][];
        };
        /** @description A term of the archive. */
        Term: {
            /**
             * Format: u-int64
             * @description Number of statements: with this class or property, or in this graph.
             */
            count: number;
            /** @description The IRI. */
            iri: string;
            /** @description Name with a usual prefix, if there is one: `dbo:Building`. */
            name?: string | null;
        };
        /** @description Terms of the archive. */
        TermList: {
            /** @description The terms: those whose name begins with the text, then others, the most frequent first. */
            terms: components["schemas"]["Term"][];
            /** @description Number of matching terms. */
            total: number;
        };
        /** @description A term with its label. */
        TermValue: {
            /** @description Datatype of a literal without a language. */
            datatype?: string | null;
            /** @description Kind of the term: `iri`, `literal`, `blank`. */
            kind: string;
            /** @description Label of an IRI. */
            label?: string | null;
            /** @description Language of a literal. */
            language?: string | null;
            /** @description Name of an IRI with a usual prefix: `dbo:Building`. */
            name?: string | null;
            /** @description The IRI, the text of the literal, or the name of the blank node. */
            value: string;
        };
        /**
         * Format: date-time
         * @description Time in UTC (RFC 3339).
         * @example 2026-11-16T15:57:00Z
         */
        Timestamp: string;
        /** @description A token, without its secret. */
        Token: {
            /** @description When the token was created. */
            created_at: components["schemas"]["Timestamp"];
            expires_at?: components["schemas"]["Timestamp"] | null;
            /**
             * Format: u-int64
             * @description ID of the token.
             */
            id: number;
            /** @description Description of the token. */
            name: string;
            /** @description Role of the token. If the role of the owner is lower, it applies instead. */
            role: components["schemas"]["Role"];
            used_at?: components["schemas"]["Timestamp"] | null;
            /** @description User that owns the token. */
            user: components["schemas"]["UserName"];
        };
        /** @description Tokens of a user. */
        TokenList: {
            /** @description Tokens, the oldest first. */
            tokens: components["schemas"]["Token"][];
        };
        /** @description A new token. */
        TokenRequest: {
            /**
             * Format: u-int32
             * @description Days until the token expires; default: never. If the request is authenticated by a token,
             *     the new token expires no later than that token.
             */
            days?: number | null;
            /**
             * @description Description of the token.
             * @example nightly export
             */
            name: string;
            role?: components["schemas"]["Role"] | null;
        };
        /** @description The result of an undo. */
        UndoResult: components["schemas"]["MarkingResult"] & {
            /** @description Number of marks of the undone change that stay, because another user has changed them since. */
            superseded: number;
        };
        /** @description A user. */
        User: {
            /** @description When the user was added. */
            created_at: components["schemas"]["Timestamp"];
            /** @description Whether the user is disabled and cannot log in. */
            disabled: boolean;
            /** @description User name. */
            name: components["schemas"]["UserName"];
            /** @description Role of the user. */
            role: components["schemas"]["Role"];
        };
        /** @description All users. */
        UserList: {
            /** @description Users, by name. */
            users: components["schemas"]["User"][];
        };
        /**
         * @description The name of a user: letters, digits, `.`, `_` and `-`; the first character is a letter or
         *     a digit. It needs no escaping in a path, in a log or on a command line.
         * @example alice
         */
        UserName: string;
        /** @description Parameters of `loadCrawlsByUser`. */
        UserParams: {
            /**
             * Format: u-int32
             * @description Maximum number of crawls, at most 1,000. An addition to the published API.
             */
            limit?: number;
            /**
             * Format: u-int32
             * @description Number of crawls to skip. An addition to the published API.
             */
            offset?: number;
            /** @description Name of the owner, or the `user` for whom the crawl was created. */
            user: string;
        };
        /** @description Changes to a user. Missing fields are not changed. */
        UserPatch: {
            /** @description Whether the user is disabled and cannot log in. Disabling a user ends all sessions of the user. */
            disabled?: boolean | null;
            password?: components["schemas"]["Password"] | null;
            role?: components["schemas"]["Role"] | null;
        };
        /** @description A new user. */
        UserRequest: {
            /** @description User name. */
            name: components["schemas"]["UserName"];
            /** @description Initial password, which the user should change. */
            password: components["schemas"]["Password"];
            /** @description Role of the user. */
            role: components["schemas"]["Role"];
        };
        /** @description Documents after a number of requests. */
        YieldPoint: {
            /**
             * Format: u-int64
             * @description Number of documents.
             */
            documents: number;
            /**
             * Format: u-int64
             * @description Number of documents with RDF.
             */
            rdf_documents: number;
            /**
             * Format: u-int64
             * @description Number of requests.
             */
            requests: number;
        };
    };
    responses: {
        /** @description An error, and a hint what to do about it. */
        Problem: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    "get-": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The page has not changed */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "get-backups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All backups */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BackupList"];
                };
            };
            /** @description Nothing has changed since the response whose `ETag` the client sent in `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "post-backups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewBackup"];
            };
        };
        responses: {
            /** @description Started */
            202: {
                headers: {
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Backup"];
                };
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description A backup of this name exists, or a backup is being written */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unsupported media type */
            415: components["responses"]["Problem"];
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Unprocessable request */
            422: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "get-backups-name": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Name of a backup.
                 * @example before-upgrade
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The backup */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Backup"];
                };
            };
            /** @description Nothing has changed since the response whose `ETag` the client sent in `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Not found */
            404: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "delete-backups-name": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Name of a backup.
                 * @example before-upgrade
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Not found */
            404: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description The backup is being written */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "get-clusters": {
        parameters: {
            query?: {
                /** @description Number of items to skip. */
                offset?: number;
                /** @description Maximum number of items. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of clusters */
            200: {
                headers: {
                    /** @description The previous (`prev`) and next (`next`) page */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClusterPage"];
                };
            };
            /** @description Nothing has changed since the response whose `ETag` the client sent in `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "post-clusters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewClusters"];
            };
        };
        responses: {
            /** @description Started */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EntityJob"];
                };
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description There is no such crawl */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description The search index is disabled, or another job runs */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unsupported media type */
            415: components["responses"]["Problem"];
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description A number is out of range */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "get-clusters-id": {
        parameters: {
            query?: {
                /** @description Number of items to skip. */
                offset?: number;
                /** @description Maximum number of items. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description Number of the cluster */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The cluster and a page of its members */
            200: {
                headers: {
                    /** @description The previous (`prev`) and next (`next`) page */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClusterMembers"];
                };
            };
            /** @description Nothing has changed since the response whose `ETag` the client sent in `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description There is no such cluster */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "get-compare": {
        parameters: {
            query: {
                /** @description ID of the first crawl. */
                a: number;
                /** @description ID of the second crawl. */
                b: number;
                /** @description Maximum length of each list. */
                k?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The comparison */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Comparison"];
                };
            };
            /** @description Nothing has changed since the response whose `ETag` the client sent in `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description No such crawl */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description A crawl is in use by another process */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "get-crawls": {
        parameters: {
            query?: {
                /** @description Only crawls in one of these states, separated by commas. */
                state?: components["schemas"]["CrawlState"][];
                /** @description Only crawls that belong to this user, or were created on behalf of this user. */
                user?: string;
                /**
                 * @description Only crawls with this seed.
                 * @example http://dbpedia.org/resource/Cologne
                 */
                seed?: string;
                /** @description Only the crawl with this name. */
                name?: string;
                /** @description Only crawls whose name, template, strategy or user contains this text; case is ignored. */
                text?: string;
                /** @description Order of the crawls. */
                order?: "oldest" | "newest";
                /** @description Number of crawls to skip. */
                offset?: number;
                /** @description Maximum number of crawls. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of crawls */
            200: {
                headers: {
                    /** @description The previous (`prev`) and next (`next`) page */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CrawlListPage"];
                };
            };
            /** @description Nothing has changed since the response whose `ETag` the client sent in `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "post-crawls": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewCrawl"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    /** @description URL of the crawl */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CrawlStarted"];
                };
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description A crawl with this name already exists */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unsupported media type */
            415: components["responses"]["Problem"];
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Unprocessable request */
            422: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "get-crawls-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of a crawl. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The crawl */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Crawl"];
                };
            };
            /** @description Nothing has changed since the response whose `ETag` the client sent in `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Not found */
            404: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "delete-crawls-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of a crawl. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Not found */
            404: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "patch-crawls-id": {
        parameters: {
            query?: {
                /** @description Whether nothing is changed, and the response says what the change would do. */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /** @description ID of a crawl. */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CrawlPatch"];
            };
        };
        responses: {
            /** @description What the change does */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CrawlChangeView"];
                };
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Not found */
            404: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description A crawl with this name already exists, or the crawl is in use by another process */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unsupported media type */
            415: components["responses"]["Problem"];
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Unprocessable request */
            422: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "get-crawls-id-candidates": {
        parameters: {
            query?: {
                /**
                 * @description Only candidates that match this filter expression.
                 * @example type = dbo:Building and score >= 0.3
                 */
                filter?: string;
                /** @description Only candidates with this mark. */
                mark?: "undropped" | "all" | "keep" | "drop" | "none";
                /** @description Name of a further ranking; default: the ranking of the crawl. */
                ranking?: string;
                /** @description IRI of a selected candidate: the page that contains it is returned, and `offset` is ignored. */
                at?: string;
                /** @description Whether candidates have reasons; default `true`. */
                reasons?: boolean;
                /** @description Number of candidates to skip. */
                offset?: number;
                /** @description Maximum number of candidates. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description ID of a crawl. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of candidates */
            200: {
                headers: {
                    /** @description The previous (`prev`) and next (`next`) page */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CandidateListPage"];
                    "text/csv": string;
                };
            };
            /** @description Nothing has changed since the response whose `ETag` the client sent in `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description There is no such crawl or ranking, or the entity `at` is not selected */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Neither JSON nor CSV is acceptable */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description There is no ranking yet */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description The filter is invalid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "get-crawls-id-candidates.csv": {
        parameters: {
            query?: {
                /**
                 * @description Only candidates that match this filter expression.
                 * @example type = dbo:Building and score >= 0.3
                 */
                filter?: string;
                /** @description Only candidates with this mark. */
                mark?: "undropped" | "all" | "keep" | "drop" | "none";
            };
            header?: never;
            path: {
                /** @description ID of a crawl. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All selected candidates */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Not found */
            404: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description There is no ranking yet */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description The filter is invalid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "get-crawls-id-candidates-facets": {
        parameters: {
            query?: {
                /**
                 * @description Only candidates that match this filter expression.
                 * @example type = dbo:Building and score >= 0.3
                 */
                filter?: string;
                /** @description Only candidates with this mark. */
                mark?: "undropped" | "all" | "keep" | "drop" | "none";
                /** @description Name of a further ranking; default: the ranking of the crawl. */
                ranking?: string;
            };
            header?: never;
            path: {
                /** @description ID of a crawl. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The counts */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CandidateFacets"];
                };
            };
            /** @description Nothing has changed since the response whose `ETag` the client sent in `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Not found */
            404: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description There is no ranking yet */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description The filter is invalid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "get-crawls-id-candidates-marks": {
        parameters: {
            query?: {
                /** @description Number of changes to skip. */
                offset?: number;
                /** @description Maximum number of changes. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description ID of a crawl. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of changes */
            200: {
                headers: {
                    /** @description The previous (`prev`) and next (`next`) page */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MarkHistoryPage"];
                };
            };
            /** @description Nothing has changed since the response whose `ETag` the client sent in `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Not found */
            404: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "post-crawls-id-candidates-marks": {
        parameters: {
            query?: {
                /** @description Whether nothing is changed: the response says what the request would change. */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /** @description ID of a crawl. */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewMarks"];
            };
        };
        responses: {
            /** @description Marked */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MarkingResult"];
                };
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description There is no such crawl or ranking */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description There is no ranking */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unsupported media type */
            415: components["responses"]["Problem"];
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description An entity is not a candidate; `hint` has similar ones */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "delete-crawls-id-candidates-marks": {
        parameters: {
            query?: {
                /** @description Number of the change to undo, from `…/candidates/marks/changes`; default: your last change. */
                change?: number;
                /** @description Whether nothing is changed: the response says what the request would change. */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /** @description ID of a crawl. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Undone */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UndoResult"];
                };
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description There is no such crawl or change */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "get-crawls-id-candidates-marks-changes": {
        parameters: {
            query?: {
                /** @description Number of changes to skip. */
                offset?: number;
                /** @description Maximum number of changes. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description ID of a crawl. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of changes */
            200: {
                headers: {
                    /** @description The previous (`prev`) and next (`next`) page */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MarkBatchPage"];
                };
            };
            /** @description Nothing has changed since the response whose `ETag` the client sent in `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Not found */
            404: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "get-crawls-id-document": {
        parameters: {
            query: {
                /**
                 * @description The URI, which is normalized as in a crawl.
                 * @example http://dbpedia.org/resource/Cologne
                 */
                uri: string;
            };
            header?: never;
            path: {
                /** @description ID of a crawl. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Document"];
                    "application/n-quads": string;
                };
            };
            /** @description Nothing has changed since the response whose `ETag` the client sent in `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Not found */
            404: components["responses"]["Problem"];
            /** @description Neither JSON nor N-Quads is acceptable */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description The crawl is in use by another process */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "get-crawls-id-documents": {
        parameters: {
            query?: {
                /** @description Only documents after this number; for `order=oldest`. */
                after?: number;
                /** @description Only documents before this number; for `order=newest`. */
                before?: number;
                /** @description Order of the documents. */
                order?: "oldest" | "newest";
                /** @description Only documents of this domain, or of this host. */
                domain?: string;
                /** @description Only documents with this number of links from the nearest seed. */
                depth?: number;
                /** @description Only documents whose URI contains this text. */
                text?: string;
                /** @description Maximum number of documents. A page with fewer documents is not necessarily the last page. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description ID of a crawl. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of documents */
            200: {
                headers: {
                    /** @description The next page (`next`) */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DocumentListPage"];
                };
            };
            /** @description Nothing has changed since the response whose `ETag` the client sent in `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Not found */
            404: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description The crawl is in use by another process */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "get-crawls-id-domains": {
        parameters: {
            query?: {
                /** @description Only domains whose name contains this text. */
                filter?: string;
                /** @description Order of the domains; the largest values first, names in alphabetical order. */
                order?: "queued" | "documents" | "rdf" | "faults" | "dropped" | "delay" | "name";
                /** @description Number of domains to skip. */
                offset?: number;
                /** @description Maximum number of domains. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description ID of a crawl. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of domains */
            200: {
                headers: {
                    /** @description The previous (`prev`) and next (`next`) page */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DomainListPage"];
                };
            };
            /** @description Nothing has changed since the response whose `ETag` the client sent in `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Not found */
            404: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description The crawl is in use by another process */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "get-crawls-id-domains-domain": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of a crawl. */
                id: number;
                /**
                 * @description Name of a domain, as in the list.
                 * @example dbpedia.org
                 */
                domain: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The domain */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DomainDetails"];
                };
            };
            /** @description Nothing has changed since the response whose `ETag` the client sent in `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Not found */
            404: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description The crawl is in use by another process */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "get-crawls-id-download-nquads": {
        parameters: {
            query?: {
                /** @description Whether to include the provenance of the documents. */
                provenance?: boolean;
            };
            header?: never;
            path: {
                /** @description ID of the crawl */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The harvest */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/n-quads": string;
                };
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description No such crawl */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description The crawl is in use by another process */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "get-crawls-id-download-nquads.gz": {
        parameters: {
            query?: {
                /** @description Whether to include the provenance of the documents. */
                provenance?: boolean;
            };
            header?: never;
            path: {
                /** @description ID of the crawl */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The harvest as N-Quads in a gzip file */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/gzip": number[];
                };
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description No such crawl */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description The crawl is in use by another process */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "get-crawls-id-download-report": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the crawl */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The report, as `lodeward crawl --report` writes it */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description Nothing has changed since the response whose `ETag` the client sent in `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description No such crawl, or it never ran */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "get-crawls-id-download-warc": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the crawl */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description WARC files */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecordingList"];
                };
            };
            /** @description Nothing has changed since the response whose `ETag` the client sent in `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description No such crawl */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "get-crawls-id-download-warc-name": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the crawl. */
                id: number;
                /** @description File name, as listed. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/gzip": number[];
                };
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description No such crawl, or no such file */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "get-crawls-id-events": {
        parameters: {
            query?: {
                /** @description Whether to also send an event for every request of a crawl. These events may be frequent. */
                requests?: boolean;
                /** @description Maximum number of `request` events per second; further ones are left out. Default: no limit. */
                max_requests_per_second?: number;
            };
            header?: never;
            path: {
                /** @description ID of a crawl. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Events, until the client disconnects */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["Event"];
                };
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Not found */
            404: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Too many subscribers, or the service is shutting down */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "get-crawls-id-explain": {
        parameters: {
            query: {
                /**
                 * @description The URI, which is normalized as in a crawl.
                 * @example http://dbpedia.org/resource/Cologne
                 */
                uri: string;
            };
            header?: never;
            path: {
                /** @description ID of a crawl. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The explanation */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Explanation"];
                };
            };
            /** @description Nothing has changed since the response whose `ETag` the client sent in `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Not found */
            404: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description The crawl is in use by another process */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "get-crawls-id-export": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the crawl */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The last export */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Export"];
                };
            };
            /** @description Nothing has changed since the response whose `ETag` the client sent in `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description No such crawl, or it was not exported */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "post-crawls-id-export": {
        parameters: {
            query?: {
                /** @description Candidates to export, by mark. */
                only?: "kept" | "undropped" | "all";
                /** @description Only candidates that match this filter expression are exported. */
                filter?: string;
            };
            header?: never;
            path: {
                /** @description ID of the crawl */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Exported */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Export"];
                };
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description No such crawl */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description The candidates are not ranked yet, none is selected, an export is already waiting, or the crawl is in use by another process */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description The filter is invalid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "delete-crawls-id-export": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the crawl */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description No such crawl, or it was not exported */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description The crawl is being exported, and another export is waiting */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "post-crawls-id-fetch": {
        parameters: {
            query: {
                /**
                 * @description The URI.
                 * @example http://dbpedia.org/resource/Cologne
                 */
                uri: string;
            };
            header?: never;
            path: {
                /** @description ID of a crawl. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The URI is a seed of the crawl */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Crawl"];
                };
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Not found */
            404: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "get-crawls-id-frontier": {
        parameters: {
            query?: {
                /** @description Only URIs of this domain. */
                domain?: string;
                /** @description Maximum number of URIs. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description ID of a crawl. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The next requests */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FrontierView"];
                };
            };
            /** @description Nothing has changed since the response whose `ETag` the client sent in `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Not found */
            404: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description The crawl is in use by another process */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "get-crawls-id-log": {
        parameters: {
            query?: {
                /** @description Only entries after this number; for `order=oldest`. */
                after?: number;
                /** @description Only entries before this number; for `order=newest`. */
                before?: number;
                /** @description Order of the entries. */
                order?: "oldest" | "newest";
                /**
                 * @description Only outcomes of this kind: `document`, `redirected`, `failed`, `dropped` or `deleted`.
                 * @example failed
                 */
                kind?: string;
                /** @description Only URIs of this domain, or of this host. */
                domain?: string;
                /** @description Only URIs whose last response had this status code. */
                status?: number;
                /**
                 * @description Only URIs with a fault of this kind: `dns`, `timeout`, `status`, …
                 * @example timeout
                 */
                fault?: string;
                /**
                 * @description Only URIs that were not requested for this reason: `robots`, `depth`, `pattern`, …
                 * @example robots
                 */
                reason?: string;
                /** @description Only URIs with this number of links from the nearest seed. */
                depth?: number;
                /** @description Only URIs that contain this text. */
                text?: string;
                /** @description Whether the response has `totals`. They are read from the records of all URIs, at most every few seconds. */
                totals?: boolean;
                /** @description Maximum number of entries. A page with fewer entries is not necessarily the last page. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description ID of a crawl. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of outcomes */
            200: {
                headers: {
                    /** @description The next page (`next`) */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LogPage"];
                };
            };
            /** @description Nothing has changed since the response whose `ETag` the client sent in `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Not found */
            404: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description The crawl is in use by another process */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "post-crawls-id-pause": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of a crawl. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The crawl is pausing or paused */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Crawl"];
                };
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Not found */
            404: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description The crawl has ended */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "get-crawls-id-ranking": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of a crawl. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The ranking */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RankingDetail"];
                };
            };
            /** @description Nothing has changed since the response whose `ETag` the client sent in `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Not found */
            404: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description There is no ranking yet */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "post-crawls-id-ranking": {
        parameters: {
            query?: {
                /** @description Ranker: `auto`, `hybrid`, `ejsim+`, `ejsim`, `njsim`, `pagerank`, `ppr`, `feedback`, `nb`. */
                ranker?: string;
                /**
                 * @description Maximum number of links between a candidate and a seed; default: as in the ranking at the end
                 *     of the crawl.
                 */
                max_hops?: number;
                /**
                 * @description Stores the result as a further ranking with this name, instead of replacing the ranking of the
                 *     crawl: letters, digits, `-` and `_`.
                 */
                as?: string;
            };
            header?: never;
            path: {
                /** @description ID of a crawl. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The ranking */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RankingDetail"];
                };
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Not found */
            404: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description A ranking of the crawl is already waiting, or the crawl is in use by another process */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "get-crawls-id-rankings": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of a crawl. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The rankings */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RankingList"];
                };
            };
            /** @description Nothing has changed since the response whose `ETag` the client sent in `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Not found */
            404: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "delete-crawls-id-rankings-name": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of a crawl. */
                id: number;
                /** @description Name of a further ranking. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Not found */
            404: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "post-crawls-id-refresh": {
        parameters: {
            query?: {
                /** @description Whether all documents are revalidated, not only those that are due. */
                all?: boolean;
            };
            header?: never;
            path: {
                /** @description ID of a crawl. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The crawl is queued or running */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Crawl"];
                };
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Not found */
            404: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description The crawl runs, or cannot be resumed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "post-crawls-id-resume": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of a crawl. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The crawl is queued or running */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Crawl"];
                };
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Not found */
            404: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description The crawl is finished, has reached the document limit of the service, or its files are damaged */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "put-crawls-id-reviewers": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of a crawl. */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewReviewers"];
            };
        };
        responses: {
            /** @description The crawl */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Crawl"];
                };
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Not found */
            404: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unsupported media type */
            415: components["responses"]["Problem"];
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description A user does not exist */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "get-crawls-id-seeds": {
        parameters: {
            query?: {
                /** @description Number of seeds to skip. */
                offset?: number;
                /** @description Maximum number of seeds. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description ID of a crawl. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of seeds */
            200: {
                headers: {
                    /** @description The previous (`prev`) and next (`next`) page */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SeedListPage"];
                };
            };
            /** @description Nothing has changed since the response whose `ETag` the client sent in `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Not found */
            404: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "get-crawls-id-series": {
        parameters: {
            query?: {
                /**
                 * @description Only points since this time (RFC 3339); default: all.
                 * @example 2026-11-16T15:57:00Z
                 */
                since?: string;
                /** @description Minimum number of seconds between two points; default 1. The response may have a larger step. */
                step?: number;
            };
            header?: never;
            path: {
                /** @description ID of a crawl. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The counters */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CrawlSeries"];
                };
            };
            /** @description Nothing has changed since the response whose `ETag` the client sent in `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Not found */
            404: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "get-crawls-id-settings": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of a crawl. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All settings */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SettingList"];
                };
            };
            /** @description Nothing has changed since the response whose `ETag` the client sent in `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Not found */
            404: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description The settings of the crawl conflict with those of the service */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "post-crawls-id-stop": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of a crawl. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The crawl is stopping or stopped */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Crawl"];
                };
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Not found */
            404: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description The crawl has ended */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "get-docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "get-docs-style.css": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The style sheet */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/css": string;
                };
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "get-entity": {
        parameters: {
            query: {
                /**
                 * @description IRI of the entity.
                 * @example http://dbpedia.org/resource/Cologne_Cathedral
                 */
                iri: string;
                /**
                 * @description Preferred language of labels.
                 * @example en
                 */
                language?: string;
                /** @description Only statements in documents of this crawl. */
                crawl?: number;
                /** @description Maximum number of values per property. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The entity */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Entity"];
                };
            };
            /** @description Nothing has changed since the response whose `ETag` the client sent in `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description No such crawl, or the archive has no statement with the IRI */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "get-entity-incoming": {
        parameters: {
            query: {
                /**
                 * @description IRI of the entity.
                 * @example http://dbpedia.org/resource/Cologne_Cathedral
                 */
                iri: string;
                /**
                 * @description IRI of the property.
                 * @example http://dbpedia.org/ontology/location
                 */
                property: string;
                /**
                 * @description Preferred language of labels.
                 * @example en
                 */
                language?: string;
                /** @description Maximum number of subjects. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The subjects */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IncomingList"];
                };
            };
            /** @description Nothing has changed since the response whose `ETag` the client sent in `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "get-events": {
        parameters: {
            query?: {
                /** @description Whether to also send an event for every request of a crawl. These events may be frequent. */
                requests?: boolean;
                /** @description Maximum number of `request` events per second; further ones are left out. Default: no limit. */
                max_requests_per_second?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Events, until the client disconnects */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["Event"];
                };
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Too many subscribers, or the service is shutting down */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "get-imports": {
        parameters: {
            query?: {
                /** @description Number of imports to skip. */
                offset?: number;
                /** @description Maximum number of imports. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of imports */
            200: {
                headers: {
                    /** @description The previous (`prev`) and next (`next`) page */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportPage"];
                };
            };
            /** @description Nothing has changed since the response whose `ETag` the client sent in `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "get-imports-name": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Name of an import.
                 * @example buildings
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The import */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Import"];
                };
            };
            /** @description Nothing has changed since the response whose `ETag` the client sent in `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Not found */
            404: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "put-imports-name": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Name of an import.
                 * @example buildings
                 */
                name: string;
            };
            cookie?: never;
        };
        /** @description RDF in any format that crawls read, packed or not */
        requestBody: {
            content: {
                "application/ld+json": string;
                "application/n-quads": string;
                "application/n-triples": string;
                "application/rdf+xml": string;
                "application/trig": string;
                "text/html": string;
                "text/turtle": string;
            };
        };
        responses: {
            /** @description Replaced */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportResult"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportResult"];
                };
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Not found */
            404: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description There are too many imports */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unsupported media type */
            415: components["responses"]["Problem"];
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Unprocessable request */
            422: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "delete-imports-name": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Name of an import.
                 * @example buildings
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Not found */
            404: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "post-instances-inspect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description RDF in any format that crawls read, packed or not */
        requestBody: {
            content: {
                "application/ld+json": string;
                "application/n-quads": string;
                "application/n-triples": string;
                "application/rdf+xml": string;
                "application/trig": string;
                "text/html": string;
                "text/turtle": string;
            };
        };
        responses: {
            /** @description The contents */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InstanceSummary"];
                };
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unsupported media type */
            415: components["responses"]["Problem"];
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Unprocessable request */
            422: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "get-instances-roles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All roles */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InstanceRoleList"];
                };
            };
            /** @description Nothing has changed since the response whose `ETag` the client sent in `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "get-labels": {
        parameters: {
            query: {
                /** @description Text that labels contain. */
                text: string;
                /** @description Maximum number of entities; default 10. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The entities */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LabelMatchList"];
                };
            };
            /** @description Nothing has changed since the response whose `ETag` the client sent in `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "get-links": {
        parameters: {
            query?: {
                /** @description State of the review. */
                state?: "undropped" | "open" | "kept" | "dropped" | "all";
                /** @description Only links with this predicate. */
                predicate?: "owl:sameAs" | "skos:related";
                /** @description Only links with at least this score. */
                min_score?: number;
                /** @description Only links of this entity. */
                entity?: string;
                /** @description Number of links to skip. */
                offset?: number;
                /** @description Maximum number of links. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of links */
            200: {
                headers: {
                    /** @description The previous (`prev`) and next (`next`) page */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LinkListPage"];
                };
            };
            /** @description Nothing has changed since the response whose `ETag` the client sent in `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "post-links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewLinks"];
            };
        };
        responses: {
            /** @description Started */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EntityJob"];
                };
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description There is no such crawl */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description The search index is disabled, or another job runs */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unsupported media type */
            415: components["responses"]["Problem"];
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Too many types or domains */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "get-links-export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The links as N-Triples */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/n-triples": string;
                };
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "post-links-export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Exported */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LinkExport"];
                };
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "get-links-marks": {
        parameters: {
            query?: {
                /** @description Number of changes to skip. */
                offset?: number;
                /** @description Maximum number of changes. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of changes */
            200: {
                headers: {
                    /** @description The previous (`prev`) and next (`next`) page */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MarkHistoryPage"];
                };
            };
            /** @description Nothing has changed since the response whose `ETag` the client sent in `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "post-links-marks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewLinkMarks"];
            };
        };
        responses: {
            /** @description Marked */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LinkMarkResult"];
                };
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unsupported media type */
            415: components["responses"]["Problem"];
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description A link is not proposed, or none is selected */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "delete-links-marks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Undone */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LinkMarkResult"];
                };
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "get-me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CurrentUser"];
                };
            };
            /** @description Nothing has changed since the response whose `ETag` the client sent in `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "put-me-password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasswordChange"];
            };
        };
        responses: {
            /** @description Changed */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description The current password is wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Authentication is disabled */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unsupported media type */
            415: components["responses"]["Problem"];
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Unprocessable request */
            422: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "get-neighbours": {
        parameters: {
            query: {
                /**
                 * @description IRI of the entity.
                 * @example http://dbpedia.org/resource/Cologne_Cathedral
                 */
                iri: string;
                /**
                 * @description Preferred language of labels.
                 * @example en
                 */
                language?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The neighbourhood */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Neighbourhood"];
                };
            };
            /** @description Nothing has changed since the response whose `ETag` the client sent in `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "get-openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description Nothing has changed since the response whose `ETag` the client sent in `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "get-queries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All saved queries */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedQueryList"];
                };
            };
            /** @description Nothing has changed since the response whose `ETag` the client sent in `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "get-queries-name": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Name of a query.
                 * @example architects
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The query */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedQuery"];
                };
            };
            /** @description Nothing has changed since the response whose `ETag` the client sent in `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Not found */
            404: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "put-queries-name": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Name of a query.
                 * @example architects
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewSavedQuery"];
            };
        };
        responses: {
            /** @description Replaced */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedQuery"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedQuery"];
                };
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Not found */
            404: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description There are too many queries */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unsupported media type */
            415: components["responses"]["Problem"];
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Unprocessable request */
            422: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "delete-queries-name": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Name of a query.
                 * @example architects
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Not found */
            404: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "get-removals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All removals */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemovalList"];
                };
            };
            /** @description Nothing has changed since the response whose `ETag` the client sent in `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "post-removals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewRemoval"];
            };
        };
        responses: {
            /** @description Removed */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemovalResult"];
                };
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description A crawl is running */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unsupported media type */
            415: components["responses"]["Problem"];
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Unprocessable request */
            422: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "get-rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All rules */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RuleList"];
                };
            };
            /** @description Nothing has changed since the response whose `ETag` the client sent in `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "get-rules-name": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Name of a rule.
                 * @example surroundings
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The rule */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Rule"];
                };
            };
            /** @description Nothing has changed since the response whose `ETag` the client sent in `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Not found */
            404: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "put-rules-name": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Name of a rule.
                 * @example surroundings
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ImportRule"];
            };
        };
        responses: {
            /** @description Replaced */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Rule"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Rule"];
                };
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Not found */
            404: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description There are too many rules */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unsupported media type */
            415: components["responses"]["Problem"];
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Unprocessable request */
            422: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "delete-rules-name": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Name of a rule.
                 * @example surroundings
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Not found */
            404: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "get-search": {
        parameters: {
            query: {
                /**
                 * @description The words.
                 * @example gothic cathedral
                 */
                q: string;
                /** @description Retrieval method. */
                method?: "ranked" | "bm25f" | "published";
                /**
                 * @description Type of entities that the words ask for, in the method `published`; detected if it is missing.
                 * @example film
                 */
                query_type?: string;
                /**
                 * @description Only entities of this type: an IRI, a name with a usual prefix, or words of its name.
                 * @example dbo:Building
                 */
                type?: string;
                /** @description Only entities that a document of this crawl describes. */
                crawl?: number;
                /** @description Only entities with this mark in `crawl`; without `crawl`, marks are ignored. */
                mark?: "undropped" | "all" | "keep" | "drop" | "none";
                /**
                 * @description Only entities of this domain, or described by a document of it.
                 * @example dbpedia.org
                 */
                domain?: string;
                /** @description Only entities with statements in this graph. */
                graph?: string;
                /**
                 * @description Only entities with a text in this language.
                 * @example en
                 */
                language?: string;
                /** @description Whether the last word is the beginning of a word. */
                prefix?: boolean;
                /** @description Whether to count types, domains and languages of the best 1,000 results. */
                facets?: boolean;
                /** @description Maximum number of results. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The best entities */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SearchPage"];
                };
            };
            /** @description Nothing has changed since the response whose `ETag` the client sent in `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description There is no such crawl */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description The search index is disabled */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description The words or a filter are invalid */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "post-seeds-check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewCrawl"];
            };
        };
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SeedCheck"];
                };
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unsupported media type */
            415: components["responses"]["Problem"];
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Unprocessable request */
            422: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "post-session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LoginRequest"];
            };
        };
        responses: {
            /** @description Logged in */
            200: {
                headers: {
                    /** @description The session */
                    "set-cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoginResponse"];
                };
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Wrong user name or password */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Cross-site request */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unsupported media type */
            415: components["responses"]["Problem"];
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Unprocessable request */
            422: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "delete-session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Logged out */
            204: {
                headers: {
                    /** @description Deletes the session cookie */
                    "set-cookie"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "get-settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All settings */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SettingList"];
                };
            };
            /** @description Nothing has changed since the response whose `ETag` the client sent in `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "get-similar": {
        parameters: {
            query: {
                /**
                 * @description The entity: its IRI, or a name with a usual prefix.
                 * @example http://dbpedia.org/resource/Cologne_Cathedral
                 */
                iri: string;
                /** @description Maximum number of results. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The most similar entities */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SimilarPage"];
                };
            };
            /** @description Nothing has changed since the response whose `ETag` the client sent in `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description The archive has no such entity */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description The search index is disabled */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description The prefix of the name is unknown */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "post-sparql-check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SparqlCheckRequest"];
            };
        };
        responses: {
            /** @description Whether the text is valid */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SparqlCheckResult"];
                };
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unsupported media type */
            415: components["responses"]["Problem"];
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Unprocessable request */
            422: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "get-templates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All templates */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TemplateList"];
                };
            };
            /** @description Nothing has changed since the response whose `ETag` the client sent in `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "get-templates-name": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Name of a template.
                 * @example geography
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The template */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Template"];
                };
            };
            /** @description Nothing has changed since the response whose `ETag` the client sent in `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Not found */
            404: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "put-templates-name": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Name of a template.
                 * @example geography
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/toml": string;
            };
        };
        responses: {
            /** @description Replaced */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Template"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Template"];
                };
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Not found */
            404: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description There are too many templates */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unsupported media type */
            415: components["responses"]["Problem"];
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Unprocessable request */
            422: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "delete-templates-name": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Name of a template.
                 * @example geography
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Not found */
            404: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description The template is shipped with the program */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "get-terms": {
        parameters: {
            query: {
                /** @description Kind of the terms. */
                kind: "class" | "property" | "graph";
                /** @description Text in the IRI or in the name with a usual prefix, such as `dbo:Bui`; default: all. */
                text?: string;
                /** @description Maximum number of terms. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The terms */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TermList"];
                };
            };
            /** @description Nothing has changed since the response whose `ETag` the client sent in `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "get-tokens": {
        parameters: {
            query?: {
                /** @description Owner; default: the authenticated user. Only admins may list tokens of other users. */
                user?: components["schemas"]["UserName"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Tokens */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenList"];
                };
            };
            /** @description Nothing has changed since the response whose `ETag` the client sent in `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description No such user */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Authentication is disabled */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "post-tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TokenRequest"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedToken"];
                };
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description There are too many tokens, or authentication is disabled */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unsupported media type */
            415: components["responses"]["Problem"];
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Unprocessable request */
            422: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "delete-tokens-id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description ID of the token */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Revoked */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description The token has a higher role than this request */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No such token */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "get-users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All users */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserList"];
                };
            };
            /** @description Nothing has changed since the response whose `ETag` the client sent in `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "post-users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UserRequest"];
            };
        };
        responses: {
            /** @description Added */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description The name is taken, or there are too many users */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unsupported media type */
            415: components["responses"]["Problem"];
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Unprocessable request */
            422: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "get-users-name": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description User name */
                name: components["schemas"]["UserName"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            /** @description Nothing has changed since the response whose `ETag` the client sent in `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description No such user */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "delete-users-name": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description User name */
                name: components["schemas"]["UserName"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Removed */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description No such user */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description No enabled admin would be left */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "patch-users-name": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description User name */
                name: components["schemas"]["UserName"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UserPatch"];
            };
        };
        responses: {
            /** @description Changed */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description No such user */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description No enabled admin would be left */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unsupported media type */
            415: components["responses"]["Problem"];
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Unprocessable request */
            422: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "get-assets-file": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of a file that the page loads. */
                file: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            /** @description The file has not changed */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Not found */
            404: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "get-health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Alive */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            /** @description Nothing has changed since the response whose `ETag` the client sent in `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "get-metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Metrics */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/openmetrics-text": string;
                };
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service unavailable */
            503: components["responses"]["Problem"];
        };
    };
    "get-ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Ready */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            /** @description Nothing has changed since the response whose `ETag` the client sent in `If-None-Match`. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: components["responses"]["Problem"];
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The service is not ready; `detail` gives the reason */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "get-sparql": {
        parameters: {
            query?: {
                /** @description The query */
                query?: string;
                /** @description Default graph */
                "default-graph-uri"?: string[];
                /** @description Named graphs */
                "named-graph-uri"?: string[];
                /** @description Time limit in seconds, if it is lower than that of the service */
                timeout?: number;
                /** @description Whether string functions accept IRIs, as many published queries expect */
                lenient?: boolean;
                /** @description Whether to include the provenance of documents; otherwise only provenance graphs that the request names are visible */
                "with-provenance"?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result, or the service description */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/ld+json": unknown;
                    "application/n-quads": string;
                    "application/n-triples": string;
                    "application/rdf+xml": string;
                    "application/sparql-results+json": unknown;
                    "application/sparql-results+xml": string;
                    "application/trig": string;
                    "text/csv": string;
                    "text/tab-separated-values": string;
                    "text/turtle": string;
                };
            };
            /** @description The request is not valid SPARQL, or cannot be evaluated */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description The role of the user does not allow `SERVICE`, or the endpoint is on a private network */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The client accepts none of the result formats */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A remote endpoint of the request failed */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A query limit was exceeded, or too many queries are running */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "post-sparql": {
        parameters: {
            query?: {
                /** @description Default graph of a query */
                "default-graph-uri"?: string[];
                /** @description Named graphs of a query */
                "named-graph-uri"?: string[];
                /** @description Default graph of an update */
                "using-graph-uri"?: string[];
                /** @description Named graphs of an update */
                "using-named-graph-uri"?: string[];
                /** @description Time limit in seconds, if it is lower than that of the service */
                timeout?: number;
                /** @description Whether string functions accept IRIs, as many published queries expect */
                lenient?: boolean;
                /** @description Whether to include the provenance of documents; otherwise only provenance graphs that the request names are visible */
                "with-provenance"?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/sparql-query": string;
                "application/sparql-update": string;
                "application/x-www-form-urlencoded": components["schemas"]["SparqlForm"];
            };
        };
        responses: {
            /** @description The result of a query */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/ld+json": unknown;
                    "application/n-quads": string;
                    "application/n-triples": string;
                    "application/rdf+xml": string;
                    "application/sparql-results+json": unknown;
                    "application/sparql-results+xml": string;
                    "application/trig": string;
                    "text/csv": string;
                    "text/tab-separated-values": string;
                    "text/turtle": string;
                };
            };
            /** @description Updated */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid SPARQL, or cannot be evaluated */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description The role of the user does not allow the update, `SERVICE` or `LOAD` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A graph to clear or drop does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The client accepts none of the result formats */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description A graph to create already exists, or a graph to change is one of provenance */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unsupported media type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Unprocessable request */
            422: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A remote endpoint of the request failed */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A query limit was exceeded, or too many queries are running */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "get-store": {
        parameters: {
            query?: {
                /** @description Name of the graph */
                graph?: string;
                /** @description Selects the default graph; the value is ignored */
                default?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The graph */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/ld+json": unknown;
                    "application/n-quads": string;
                    "application/n-triples": string;
                    "application/rdf+xml": string;
                    "application/trig": string;
                    "text/turtle": string;
                };
            };
            /** @description The name of the graph is not an IRI */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description The graph does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The client accepts none of the RDF formats */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Too many queries are running */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "put-store": {
        parameters: {
            query?: {
                /** @description Name of the graph */
                graph?: string;
                /** @description Selects the default graph; the value is ignored */
                default?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/n-quads": string;
                "application/n-triples": string;
                "application/rdf+xml": string;
                "application/trig": string;
                "text/turtle": string;
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Replaced */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The body cannot be parsed, or the name of the graph is not an IRI */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description The role of the user does not allow changes to the archive */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description The graph is generated from a provenance record */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unsupported media type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Unprocessable request */
            422: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Too many queries are running */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "post-store": {
        parameters: {
            query?: {
                /** @description Name of the graph */
                graph?: string;
                /** @description Selects the default graph; the value is ignored */
                default?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/n-quads": string;
                "application/n-triples": string;
                "application/rdf+xml": string;
                "application/trig": string;
                "multipart/form-data": string;
                "text/turtle": string;
            };
        };
        responses: {
            /** @description Added */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The body cannot be parsed, or the name of the graph is not an IRI */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description The role of the user does not allow changes to the archive */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description The graph is generated from a provenance record */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unsupported media type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Unprocessable request */
            422: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Too many queries are running */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "delete-store": {
        parameters: {
            query?: {
                /** @description Name of the graph */
                graph?: string;
                /** @description Selects the default graph; the value is ignored */
                default?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The name of the graph is not an IRI */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description The role of the user does not allow changes to the archive */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The graph does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description The graph is generated from a provenance record */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Too many queries are running */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "get-store-name": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of a graph whose IRI is this URL */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The graph */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/ld+json": unknown;
                    "application/n-quads": string;
                    "application/n-triples": string;
                    "application/rdf+xml": string;
                    "application/trig": string;
                    "text/turtle": string;
                };
            };
            /** @description The name of the graph is not an IRI */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description Permission denied */
            403: components["responses"]["Problem"];
            /** @description The graph does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The client accepts none of the RDF formats */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Too many queries are running */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "put-store-name": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of a graph whose IRI is this URL */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/n-quads": string;
                "application/n-triples": string;
                "application/rdf+xml": string;
                "application/trig": string;
                "text/turtle": string;
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Replaced */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The body cannot be parsed, or the name of the graph is not an IRI */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description The role of the user does not allow changes to the archive */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found */
            404: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description The graph is generated from a provenance record */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unsupported media type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Unprocessable request */
            422: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Too many queries are running */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "post-store-name": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of a graph whose IRI is this URL */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/n-quads": string;
                "application/n-triples": string;
                "application/rdf+xml": string;
                "application/trig": string;
                "multipart/form-data": string;
                "text/turtle": string;
            };
        };
        responses: {
            /** @description Added */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The body cannot be parsed, or the name of the graph is not an IRI */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description The role of the user does not allow changes to the archive */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found */
            404: components["responses"]["Problem"];
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description The graph is generated from a provenance record */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unsupported media type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Unprocessable request */
            422: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Too many queries are running */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "delete-store-name": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of a graph whose IRI is this URL */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The name of the graph is not an IRI */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description The role of the user does not allow changes to the archive */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The graph does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description The graph is generated from a provenance record */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Too many queries are running */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "post-update": {
        parameters: {
            query?: {
                /** @description Default graph */
                "using-graph-uri"?: string[];
                /** @description Named graphs */
                "using-named-graph-uri"?: string[];
                /** @description Time limit in seconds, if it is lower than that of the service */
                timeout?: number;
                /** @description Whether string functions accept IRIs, as many published queries expect */
                lenient?: boolean;
                /** @description Whether to include the provenance of documents; otherwise only provenance graphs that the request names are visible */
                "with-provenance"?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/sparql-update": string;
                "application/x-www-form-urlencoded": components["schemas"]["SparqlForm"];
            };
        };
        responses: {
            /** @description Updated */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid SPARQL, or cannot be evaluated */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Authentication required */
            401: components["responses"]["Problem"];
            /** @description The role of the user does not allow the update, `SERVICE` or `LOAD` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A graph to clear or drop does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request timeout */
            408: components["responses"]["Problem"];
            /** @description A graph to create already exists, or a graph to change is one of provenance */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Content too large */
            413: components["responses"]["Problem"];
            /** @description The URL is longer than 65,534 bytes. The response has no body. */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unsupported media type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Misdirected request */
            421: components["responses"]["Problem"];
            /** @description Unprocessable request */
            422: components["responses"]["Problem"];
            /** @description Rate limit exceeded */
            429: components["responses"]["Problem"];
            /** @description URL and header fields are longer than 64 KiB. The response has no body. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A remote server of the request failed */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A query limit was exceeded, or too many queries are running */
            503: {
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
