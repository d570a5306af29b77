import type { z } from "zod";
import { setBreakpointsSchema, taskInfoSchema } from "../../../wire/http/api.ts";
import type { TaskActions } from "../source.ts";
import { request } from "./session.ts";
import { SourceError } from "./source-error.ts";

/** The actions on a server's tasks. */
export function httpActions(baseUrl: string): TaskActions {
  const task = (id: string, rest: string) => `${baseUrl}api/tasks/${encodeURIComponent(id)}/${rest}`;
  const post = (url: string, body: unknown = {}) => request(url, { method: "POST", body });
  const done = async (response: Promise<unknown>): Promise<void> => {
    await response;
  };
  const read = async <T>(response: Promise<unknown>, schema: z.ZodType<T>, what: string): Promise<T> => {
    const parsed = schema.safeParse(await response);
    if (parsed.success) return parsed.data;
    throw new SourceError("SOURCE_ANSWER", `Expected a ${what} from the server.`);
  };
  const readTask = (response: Promise<unknown>) => read(response, taskInfoSchema, "task");
  return {
    create: (fresh) => readTask(post(`${baseUrl}api/tasks`, fresh)),
    open: (id) => readTask(post(task(id, "open"))),
    answer: (id, askId, answer) => done(post(task(id, `asks/${askId}/answer`), answer)),
    proceed: (id, askId) => done(post(task(id, `asks/${askId}/proceed`))),
    abort: (id, askId) => done(post(task(id, `asks/${askId}/abort`))),
    continue: (id, text) => done(post(task(id, "words"), { text })),
    queue: (id, text) => done(post(task(id, "queue"), { text })),
    cancel: (id) => done(post(task(id, "cancel"))),
    changePermissions: (id, change) =>
      done(request(task(id, "permissions"), { method: "PATCH", body: change })),
    fork: (id, at) => readTask(post(task(id, "fork"), { at })),
    breakpoints: (id) => read(request(task(id, "breakpoints")), setBreakpointsSchema, "list of breakpoints"),
    setBreakpoints: (id, breakpoints) => done(post(task(id, "breakpoints"), breakpoints)),
    step: (id) => done(post(task(id, "step"))),
    resume: (id) => done(post(task(id, "resume"))),
  };
}
