// Invoke the task machine from your machine, which gets its end as an event.
import { allowReadsInside, anthropic, builtinTools, openWorkspace, systemShell } from "signalbox";
import { CallTracker, createOpenAsks, edgeActors, immediateEdge, systemClock } from "signalbox/actors";
import { type ReportEvent, taskMachine } from "signalbox/machines";
import { parseScript, startMock } from "signalbox/testing";
import { assign, createActor, sendTo, setup, toPromise } from "xstate";

const mock = await startMock(parseScript("- { tool: attempt_completion, input: { result: It is a library. } }"));
const asks = createOpenAsks();
asks.opened$.subscribe((ask) => ask.answer({ kind: "yes" }));
const actors = edgeActors(immediateEdge, {
  model: anthropic({ model: "claude-sonnet-4-6", baseURL: mock.url, apiKey: "any" }),
  tools: builtinTools(),
  policy: allowReadsInside(),
  workspace: await openWorkspace("."),
  shell: systemShell(),
  calls: new CallTracker({ clock: systemClock }),
  asks,
});

const review = setup({
  types: {} as { context: { said: string }; events: ReportEvent | { type: "ask"; text: string }; output: string },
  actors: { task: taskMachine.provide({ actors }) },
}).createMachine({
  context: { said: "" },
  invoke: { src: "task", id: "task", input: ({ self }) => ({ taskId: "review", reportTo: self }) },
  on: {
    ask: { actions: sendTo("task", ({ event }) => ({ type: "task.start", text: event.text, images: [], at: Date.now() })) },
    "task.completed": { target: ".done", actions: assign({ said: ({ event }) => event.result }) },
  },
  initial: "waiting",
  states: { waiting: {}, done: { type: "final" } },
  output: ({ context }) => context.said,
});

const actor = createActor(review).start();
actor.send({ type: "ask", text: "What is this?" });
console.log(await toPromise(actor));
await mock.close();
