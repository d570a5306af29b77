import { Command } from "commander";
import { port, recordFrom } from "../arguments.ts";
import type { Io } from "../io.ts";
import type { InspectFlags } from "./inspect.ts";
import { addRunOptions } from "./run-flags.ts";
import type { ServeFlags } from "./serve.ts";

/** Those of `run` that are about every task. */
const SHARED: ReadonlySet<string> = new Set([
  "--workspace",
  "--yes",
  "--require-approval",
  "--model",
  "--base-url",
  "--api-key",
  "--provider",
  "--script",
  "--reasoning-effort",
  "--data-dir",
  "--consecutive-mistake-limit",
  "--no-checkpoints",
]);

export function addServe(program: Command, io: Io, end: (code: number) => void): void {
  const command = program
    .command("serve")
    .description("serve tasks to a browser and to other programs (docs/server.md)");
  addServeOptions(command, 8485).action(async (flags: ServeFlags) => {
    const { serve } = await import("./serve.ts");
    end(await serve(flags, io));
  });
}

export function addInspect(program: Command, io: Io, end: (code: number) => void): void {
  const command = program
    .command("inspect")
    .description("see a task and why it is where it is, in a browser (docs/visual-debugging.md)")
    .argument("[id]", "the task, or the beginning of its id; or the file of a journal, .jsonl")
    .option(
      "--at <seq>",
      "the record that it opens at (default: the last)",
      recordFrom(0, "signalbox show ID --seq tells them"),
    );
  addServeOptions(command, 0).action(async (id: string | undefined, flags: InspectFlags) => {
    const { inspect } = await import("./inspect.ts");
    end(await inspect(id, flags, io));
  });
}

function addServeOptions(command: Command, defaultPort: number): Command {
  command
    .option("--port <n>", "the port; 0 is any", port, defaultPort)
    .option(
      "--host <address>",
      "the address to listen on; by default only this machine gets there",
      "127.0.0.1",
    );
  for (const option of addRunOptions(new Command()).options)
    if (SHARED.has(option.long ?? "")) command.addOption(option);
  return command;
}
