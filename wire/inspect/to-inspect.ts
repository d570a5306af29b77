import { type EndError, endErrorOf, isShutDown } from "../../machines/message/end-error.ts";
import type { RecordedState } from "../../machines/task/task.context.ts";
import { VERSION } from "../version.ts";
import { type EvalEvent, type EvalLog, type EvalSample, errorOf, type ModelOutput } from "./eval-log.ts";
import { chatMessages, modelName } from "./messages.ts";
import { addTask, isoTime, type RecordedTask, type Sample } from "./sample-events.ts";

/** Texts of events that are longer are attached to the sample once, instead of repeated with each request. */
const MAX_INLINE = 100;

/**
 * A log of Inspect, `EvalLog` version 2, with one sample: a task and its subtasks. It has an event for each request, decision and
 * call, each change of the state, and a span for each task. A task that its control protocol ended is complete,
 * and the metadata of its sample has the end. `digest`: a hash of a text as hexadecimal digits.
 */
export function toInspect(task: RecordedTask, digest: (text: string) => string): EvalLog {
  const { header, records } = task;
  const attachments = new Map<string, string>();
  const attach = (text: string): string => {
    if (text.length <= MAX_INLINE) return text;
    const key = digest(text);
    attachments.set(key, text);
    return `attachment://${key}`;
  };
  const sample: Sample = { startedAt: header.createdAt, attach, events: [], usage: new Map() };
  const last = records.at(-1);
  const endedAt = last !== undefined && "at" in last ? last.at : header.createdAt;
  const state = addTask(task, sample);
  const { taskId, createdAt, workspace, parent, forkedFrom } = header;
  const log = state.log.toArray();
  const input = log.find(({ say }) => say === "text")?.text ?? "";
  const shutDown = shutDownOf(state);
  const status = shutDown === undefined ? statusOf(task) : "success";
  const error = status === "error" ? { error: errorOf(log.findLast(isFailure)?.text ?? "failed") } : {};
  const model = modelName(state.facts.model);
  const usage = Object.fromEntries(sample.usage);
  const [startedAt, completedAt] = [isoTime(createdAt), isoTime(endedAt)];
  const evalSample: EvalSample = {
    id: taskId,
    epoch: 1,
    input,
    target: "",
    messages: chatMessages(state.conversation.toArray()),
    output: lastOutput(sample, model),
    events: [sampleInit(startedAt, taskId, input), ...sample.events.toSorted(byStart)],
    attachments: Object.fromEntries(attachments),
    model_usage: usage,
    role_usage: {},
    metadata: shutDown === undefined ? {} : { end: "shutDown", end_reason: shutDown.message },
    store: {},
    scores: {},
    started_at: startedAt,
    completed_at: completedAt,
    total_time: (endedAt - createdAt) / 1000,
    uuid: taskId,
    ...error,
  };
  return {
    version: 2,
    status,
    eval: {
      eval_id: taskId,
      run_id: parent?.rootId ?? taskId,
      created: startedAt,
      task: "signalbox",
      task_id: taskId,
      task_version: 0,
      task_attribs: {},
      task_args: {},
      task_args_passed: {},
      dataset: { name: "signalbox", samples: 1, sample_ids: [taskId], shuffled: false },
      model,
      model_args: {},
      model_generate_config: {},
      config: {},
      packages: { signalbox: VERSION },
      metadata: {
        ...(workspace !== undefined && { workspace }),
        ...(forkedFrom !== undefined && { forkedFrom }),
      },
    },
    plan: { name: "plan", steps: [], config: {} },
    results: { total_samples: 1, completed_samples: status === "success" ? 1 : 0, scores: [] },
    stats: {
      started_at: startedAt,
      completed_at: completedAt,
      model_usage: usage,
      role_usage: {},
      connection_limit_history: [],
    },
    ...error,
    invalidated: false,
    tags: [],
    metadata: {},
    samples: [evalSample],
  };
}

const sampleInit = (timestamp: string, id: string, input: string): EvalSample["events"][number] => ({
  event: "sample_init",
  timestamp,
  working_start: 0,
  pending: false,
  sample: { id, input, target: "" },
  state: {},
});

/** The order of Inspect: a request comes before the calls that started during its response. */
const byStart = (one: EvalEvent, other: EvalEvent): number => one.working_start - other.working_start;

const isFailure = ({ ask, text }: { readonly ask?: string; readonly text?: string | null }): boolean =>
  ask === "api_req_failed" && typeof text === "string";

/** The end of a task by its control protocol, which is no error of the task. */
function shutDownOf({ log }: RecordedState): EndError | undefined {
  const end = endErrorOf(log);
  return isShutDown("api_req_failed", end?.code) ? end : undefined;
}

function statusOf({ records }: RecordedTask): EvalLog["status"] {
  const state = records.findLast((record) => record.kind === "commit")?.after ?? "";
  if (state === "idle.failed" || state === "idle.mistaken") return "error";
  if (state.startsWith("idle.")) return "success";
  return state === "resumable" ? "cancelled" : "started";
}

/** The output of the newest request of the sample. */
function lastOutput({ events }: Sample, model: string): ModelOutput {
  const last = events.findLast(({ event, role }) => event === "model" && role !== "condense");
  return (last?.output as ModelOutput | undefined) ?? { model, choices: [], completion: "" };
}
