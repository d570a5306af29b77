import { homedir } from "node:os";
import path from "node:path";
import { type Command, Option } from "commander";
import type { Io } from "../io.ts";
import type { JournalFlags, LedgerFlags } from "./ledger.ts";

export function addLedger(program: Command, io: Io, end: (code: number) => void): void {
  const ledger = program
    .command("ledger")
    .description("show and verify what agents wrote in a workspace (docs/guide/ledger.md)");
  addDataDir(
    addOptions(
      ledger.command("verify").description("find lines that were edited, reordered, removed or cut"),
    ),
  ).action(async (flags: JournalFlags) => {
    const { verify } = await import("./ledger.ts");
    end(await verify(flags, io));
  });
  addOptions(ledger.command("show").description("list the writes, oldest first")).action(
    async (flags: LedgerFlags) => {
      const { show } = await import("./ledger.ts");
      io.stdout.write(await show(flags));
    },
  );
  addDataDir(
    addOptions(
      ledger
        .command("blame")
        .description("show which write a line of a file comes from, and how to open it in the debugger")
        .argument("<file:line>", "such as src/a.ts:12; the path is relative to the workspace"),
    ),
  ).action(async (place: string, flags: JournalFlags) => {
    const { blame } = await import("./ledger.ts");
    io.stdout.write(await blame(place, flags));
  });
}

const addDataDir = (command: Command): Command =>
  command.option("--data-dir <dir>", "data directory of the journals", path.join(homedir(), ".signalbox"));

const addOptions = (command: Command): Command =>
  command
    .option("-w, --workspace <dir>", "workspace of the ledger (default: this folder)")
    .addOption(new Option("--format <format>", "output format").choices(["text", "json"]).default("text"));
