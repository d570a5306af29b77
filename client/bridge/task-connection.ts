import type { Task } from "../../runtime/task/task.ts";
import { ExtensionClient, type ExtensionClientOptions } from "../roo/extension/extension-client.ts";
import { TaskBridge, type TaskBridgeOptions } from "./task-bridge.ts";

/** Options of {@link connectTask}. */
export interface ConnectOptions
  extends Omit<TaskBridgeOptions, "send">,
    Omit<ExtensionClientOptions, "sendMessage"> {}

/** A client of a task, and the bridge between them. */
export interface Connection {
  readonly client: ExtensionClient;
  /** Shows another task, or closes the connection. */
  readonly bridge: TaskBridge;
}

/**
 * Connect a client to a task of this process. After each commit its state and its messages equal the task's.
 *
 * @example
 * ```ts
 * import { anthropic, createHost } from "signalbox";
 * import { connectTask } from "signalbox/client";
 * const host = createHost({ dataDir: "./tasks" });
 * const task = await host.create({ model: anthropic({ model: "claude-sonnet-4-6" }), workspace: "." });
 * const { client } = connectTask(task, { host });
 * client.on("waitingForInput", ({ ask }) => (ask === "tool" ? client.approve() : client.cancelTask()));
 * await task.run("Make the tests pass");
 * ```
 */
export function connectTask(task: Task | undefined, options: ConnectOptions = {}): Connection {
  const client: ExtensionClient = new ExtensionClient({
    ...options,
    sendMessage: (message) => bridge.receive(message),
  });
  const bridge: TaskBridge = new TaskBridge({ ...options, send: (message) => client.handleMessage(message) });
  bridge.show(task);
  return { client, bridge };
}
