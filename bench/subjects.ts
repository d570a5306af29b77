/** The subject of each bench, in the order of the page that lists them (docs/internals/performance.md). */
export const SUBJECTS: Readonly<Record<string, string>> = {
  streaming:
    "20,000 and 200,000 deltas: the engine with file journal and client, against a loop over the SDK's stream. Then 100 responses of 100 deltas/s at once. Latency of a text delta, socket to subscriber",
  "tool-input": "`write_to_file` of 1 MB against 100 KB, at full speed and at 2,000 deltas/s",
  "log-length": "growing, appending and closing a message in a log of 100,000 against 100; `StateTracker`",
  asks: "`approve()` to the start of the tool, with one `fdatasync`; `cancel()` with a dead endpoint, an unresponsive command, and of a root with 3 descendants",
  tasks:
    "10,000 tasks at rest: memory beyond the text, and when passive; activating 1,000 messages; open handles",
  subtasks:
    "1,000 subtasks of a response that stream: memory and CPU at rest; `cancel()` of 100 that run commands",
  history: "listing 10,000 tasks on disk, without an index and with it; `signalbox list`",
  ndjson: "an event as NDJSON; 10 times the text; 10 minutes of streaming to a slow reader",
  turns: "200 turns with one call, against a loop by hand and a bare SDK loop; growth in 200 and 400 turns",
  postgres: "a commit in PostgreSQL, against a plain INSERT; left out where no server is installed",
  recovery: "opening 100,000 messages; synced commits in batches against plain writes",
  load: "1,000 tasks that stream at once, each followed by a new one (`SIGNALBOX_BENCH_LOAD_S=600` for ten minutes): growth of memory, journal queues, 10 subscribers that read nothing",
  server: "1,000 streams of 20 tasks (`SIGNALBOX_BENCH_SERVER_S=600` for ten minutes)",
  trace:
    "an inspected event; a whole task with live trace, and inspected; a task followed over HTTP; moments of 100,000 events",
  page: "the debugger in headless Chromium: open 100,000 events, scrub, follow a task, memory after 40,000 events of growing text, scroll 10,000 tasks",
  control: "`control run`: 1,000 runs of scripted policies in all settings, without a sandbox",
  start: "importing the built package, against XState, RxJS, Zod and the SDK; `signalbox --help`",
};
