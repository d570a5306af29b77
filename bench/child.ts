import type { z } from "zod";
import { Call, type Commands, type Reply } from "./harness/index.ts";

/** The roles of a child process, and the modules of their commands. Each loads only its own. */
const ROLES: Readonly<Record<string, () => Promise<{ readonly commands: Commands }>>> = {
  mock: () => import("./mock.child.ts"),
  streaming: () => import("./streaming/client.ts"),
  "tool-input": () => import("./tool-input/client.ts"),
  "log-length": () => import("./log-length/client.ts"),
  asks: () => import("./asks/client.ts"),
  tasks: () => import("./tasks/client.ts"),
  subtasks: () => import("./subtasks/client.ts"),
  history: () => import("./history/client.ts"),
  turns: () => import("./turns/client.ts"),
  ndjson: () => import("./ndjson/client.ts"),
  recovery: () => import("./recovery/client.ts"),
  load: () => import("./load/client.ts"),
  server: () => import("./server/client.ts"),
  trace: () => import("./trace/client.ts"),
  page: () => import("./page/client.ts"),
};

const role = process.argv[2] ?? "";
const load = ROLES[role];
if (load === undefined)
  throw new Error(`There is no role "${role}": expected one of ${Object.keys(ROLES).join(", ")}.`);
const { commands } = await load();

const reply = async (message: unknown): Promise<z.infer<typeof Reply>> => {
  const { id, command, args } = Call.parse(message);
  try {
    const run = commands[command];
    if (run === undefined) throw new Error(`${role} has no command "${command}".`);
    return { id, result: await run(args) };
  } catch (error) {
    return { id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
};

process.on("message", (message) => void reply(message).then((sent) => process.send?.(sent)));
// The parent has ended: open servers and requests are no longer needed.
process.on("disconnect", () => process.exit(0));
