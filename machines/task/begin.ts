import { emptyConversation } from "../conversation/index.ts";
import { emptyLog } from "../message/index.ts";
import { DEFAULT_LIMITS } from "./limits.ts";
import { noUsage } from "./request.ts";
import type { TaskContext, TaskInput } from "./task.types.ts";
import { emptyTurn } from "./turn.ts";

/** What a task is before anything has happened. */
export const begin = ({ input }: { input: TaskInput }): TaskContext => ({
  taskId: input.taskId,
  limits: { ...DEFAULT_LIMITS, ...input.limits },
  autoRetry: input.autoRetry ?? true,
  log: emptyLog,
  conversation: emptyConversation,
  request: undefined,
  usage: noUsage,
  ask: undefined,
  turn: emptyTurn,
  pending: [],
  queue: [],
  background: [],
  counters: {
    mistakes: 0,
    noToolUses: 0,
    retries: 0,
    pauses: 0,
    requests: 0,
    cost: 0,
    repeated: { digest: "", times: 0 },
  },
  retryAt: 0,
  prepared: undefined,
  total: noUsage,
  result: undefined,
  cause: undefined,
  reportTo: input.reportTo,
});
