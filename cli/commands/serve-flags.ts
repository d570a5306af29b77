import { Command } from "commander";
import { port, recordFrom } from "../arguments.ts";
import type { Io } from "../io.ts";
import type { InspectFlags } from "./inspect.ts";
import { type AcpFlags, addRunOptions, type ServeFlags, TASK_FLAGS } from "./run-flags.ts";

export function addServe(program: Command, io: Io, end: (code: number) => void): void {
  const command = program
    .command("serve")
    .description("serve tasks to browsers and other programs (docs/reference/server.md)");
  addServeOptions(command, 8485).action(async (flags: ServeFlags) => {
    const { serve } = await import("./serve.ts");
    end(await serve(flags, io));
  });
}

export function addAcp(program: Command, version: string, io: Io, end: (code: number) => void): void {
  const command = program
    .command("acp")
    .description(
      "serve an editor that speaks the Agent Client Protocol, on stdin and stdout (docs/guide/acp.md)",
    );
  addTaskOptions(command, ["workspace"]).action(async (flags: AcpFlags) => {
    const { acp } = await import("./acp.ts");
    end(await acp(flags, version, io));
  });
}

export function addInspect(program: Command, io: Io, end: (code: number) => void): void {
  const command = program
    .command("inspect")
    .description("open the visual debugger on a task, in a browser (docs/guide/debugger.md)")
    .argument("[id]", "task id or a prefix of it, or a journal file (.jsonl)")
    .option(
      "--at <seq>",
      "record at which the page opens (default: the last)",
      recordFrom(0, "signalbox show ID --seq shows the numbers"),
    );
  addServeOptions(command, 0).action(async (id: string | undefined, flags: InspectFlags) => {
    const { inspect } = await import("./inspect.ts");
    end(await inspect(id, flags, io));
  });
}

function addServeOptions(command: Command, defaultPort: number): Command {
  command
    .option("--port <n>", "port to listen on; 0 picks a free one", port, defaultPort)
    .option(
      "--host <address>",
      "address to listen on; the default is reachable from this machine only",
      "127.0.0.1",
    );
  return addTaskOptions(command);
}

/** Add the options of `run` that apply to every task. @param without those that the command does not take */
function addTaskOptions(command: Command, without: readonly string[] = []): Command {
  for (const option of addRunOptions(new Command()).options) {
    const name = option.attributeName();
    if (TASK_FLAGS.some((each) => each === name) && !without.includes(name)) command.addOption(option);
  }
  return command;
}
