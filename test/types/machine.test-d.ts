// Checked by the compiler: `@ts-expect-error` fails where there is no error.
import { createActor } from "xstate";
import { type ActorInputs, type LlmEvent, type TaskEvent, taskMachine } from "../../machines/index.ts";
import type { EdgeLogic } from "../../machines/task/task.setup.ts";

declare const timer: EdgeLogic<"timer">;
declare const llm: EdgeLogic<"llm">;

// Every event carries its time (L15).
const actor = createActor(taskMachine, { input: { taskId: "t" } });
actor.send({ type: "task.start", at: 1, text: "Hello", images: [] });
// @ts-expect-error
actor.send({ type: "task.start", text: "Hello", images: [] });
// @ts-expect-error
actor.send({ type: "task.begin", at: 1 });
// @ts-expect-error
createActor(taskMachine, { input: {} });

// What an actor sends is an event of the machine.
export const sent = (event: LlmEvent): TaskEvent => event;

// `provide` takes each edge actor under its own name.
taskMachine.provide({ actors: { llm, timer } });
// @ts-expect-error
taskMachine.provide({ actors: { llm: timer } });
// @ts-expect-error
taskMachine.provide({ actors: { model: llm } });

export const requestId = (input: ActorInputs["llm"]): number => input.requestId;
