import type { z } from "zod";
import {
  checkpointDiffSchema,
  choicesSchema,
  modelsSchema,
  proposalSchema,
  restoredSchema,
  setBreakpointsSchema,
  taskInfoSchema,
} from "../../../wire/http/api.ts";
import type { TaskActions } from "../source.ts";
import { request } from "./session.ts";
import { SourceError } from "./source-error.ts";

/** The actions on a server's tasks. */
export function httpActions(baseUrl: string): TaskActions {
  const task = (id: string, rest: string) => `${baseUrl}api/tasks/${encodeURIComponent(id)}/${rest}`;
  const queued = (id: string, messageId: string) => task(id, `queue/${encodeURIComponent(messageId)}`);
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
    proposal: (id, askId) =>
      read(request(task(id, `asks/${askId}/proposal`)), proposalSchema, "proposal of a call"),
    proceed: (id, askId) => done(post(task(id, `asks/${askId}/proceed`))),
    abort: (id, askId) => done(post(task(id, `asks/${askId}/abort`))),
    continue: (id, text, images) => done(post(task(id, "words"), { text, images })),
    queue: (id, text, images) => done(post(task(id, "queue"), { text, images })),
    editQueued: (id, messageId, text) =>
      done(request(queued(id, messageId), { method: "PATCH", body: { text } })),
    unqueue: (id, messageId) => done(request(queued(id, messageId), { method: "DELETE" })),
    cancel: (id) => done(post(task(id, "cancel"))),
    pause: (id) => done(post(task(id, "pause"))),
    choices: (id) => read(request(task(id, "choices")), choicesSchema, "list of modes and models"),
    switchMode: (id, mode) => done(post(task(id, "mode"), { mode })),
    selectProfile: (id, profile) => done(post(task(id, "profile"), { profile })),
    changePermissions: (id, change) =>
      done(request(task(id, "permissions"), { method: "PATCH", body: change })),
    diffCheckpoint: (id, hash) =>
      read(request(task(id, `checkpoints/${hash}/diff`)), checkpointDiffSchema, "diff of a checkpoint"),
    restoreCheckpoint: (id, hash, present) =>
      read(post(task(id, `checkpoints/${hash}/restore`), { present }), restoredSchema, "restored checkpoint"),
    fork: (id, at, options) => readTask(post(task(id, "fork"), { at, ...options })),
    models: async () => (await read(request(`${baseUrl}api/models`), modelsSchema, "list of models")).models,
    breakpoints: (id) => read(request(task(id, "breakpoints")), setBreakpointsSchema, "list of breakpoints"),
    setBreakpoints: (id, breakpoints) => done(post(task(id, "breakpoints"), breakpoints)),
    step: (id) => done(post(task(id, "step"))),
    resume: (id) => done(post(task(id, "resume"))),
  };
}
