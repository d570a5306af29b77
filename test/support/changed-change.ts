import type { Change } from "../../machines/task/change.ts";
import type { TaskContext } from "../../machines/task/task.context.ts";
import type { ToolCall } from "../../machines/tool-call/call.ts";

/** The change with other parts. `part` returns undefined for a part that stays. */
export const withPart = (change: Change, part: (key: string | symbol) => unknown): Change =>
  new Proxy(change, {
    get: (of, key) => part(key) ?? bound(of, key),
  });

const bound = (of: Change, key: string | symbol): unknown => {
  const value: unknown = Reflect.get(of, key, of);
  return typeof value === "function" ? value.bind(of) : value;
};

/** The change without those calls of `method` that match `ignored`. */
export const ignoring = (
  change: Change,
  method: keyof Change,
  ignored: (...of: readonly unknown[]) => boolean,
): Change => {
  const original = bound(change, method);
  const part = (...args: readonly unknown[]): unknown =>
    typeof original !== "function" || ignored(...args) ? undefined : original(...args);
  return withPart(change, (key) => (key === method ? part : undefined));
};

/** The context with other calls in its turn. */
export const withCalls = (context: TaskContext, to: (call: ToolCall) => ToolCall): TaskContext => ({
  ...context,
  turn: { ...context.turn, calls: context.turn.calls.map(to) },
});
