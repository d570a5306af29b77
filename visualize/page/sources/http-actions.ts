import type { z } from "zod";
import { setBreakpointsSchema, taskCardSchema } from "../../../wire/index.ts";
import type { TaskActions } from "../source.ts";
import { ask } from "./session.ts";
import { SourceError } from "./source-error.ts";

/** What can be done to a server's tasks. */
export function httpActions(baseUrl: string): TaskActions {
  const task = (id: string, rest: string) => `${baseUrl}api/tasks/${encodeURIComponent(id)}/${rest}`;
  const post = (url: string, body: unknown = {}) => ask(url, { method: "POST", body });
  const done = async (answer: Promise<unknown>): Promise<void> => {
    await answer;
  };
  const read = async <T>(answer: Promise<unknown>, schema: z.ZodType<T>, what: string): Promise<T> => {
    const parsed = schema.safeParse(await answer);
    if (parsed.success) return parsed.data;
    throw new SourceError("SOURCE_ANSWER", `The server answered with something that is no ${what}.`);
  };
  const card = (answer: Promise<unknown>) => read(answer, taskCardSchema, "task's card");
  return {
    create: (fresh) => card(post(`${baseUrl}api/tasks`, fresh)),
    open: (id) => card(post(task(id, "open"))),
    answer: (id, askId, answer) => done(post(task(id, `asks/${askId}/answer`), answer)),
    proceed: (id, askId) => done(post(task(id, `asks/${askId}/proceed`))),
    abort: (id, askId) => done(post(task(id, `asks/${askId}/abort`))),
    say: (id, text) => done(post(task(id, "words"), { text })),
    queue: (id, text) => done(post(task(id, "queue"), { text })),
    cancel: (id) => done(post(task(id, "cancel"))),
    fork: (id, at) => card(post(task(id, "fork"), { at })),
    breakpoints: (id) => read(ask(task(id, "breakpoints")), setBreakpointsSchema, "task's breakpoints"),
    setBreakpoints: (id, breakpoints) => done(post(task(id, "breakpoints"), breakpoints)),
    step: (id) => done(post(task(id, "step"))),
    resume: (id) => done(post(task(id, "resume"))),
  };
}
