import type { Command } from "commander";
import { count, port as portNumber } from "../arguments.ts";
import { clusterDev } from "../cluster/dev.ts";
import { passedArguments } from "../cluster/passed-arguments.ts";
import { addTaskOptions, type TaskFlags } from "../settings/run-flags.ts";
import type { Define } from "./command.ts";

interface DevFlags extends TaskFlags {
  readonly workers: number;
  readonly port: number;
  readonly folder?: string;
}

/** The options that are not passed on to the workers and the server. */
const OWN = ["workers", "port", "folder"] as const satisfies readonly (keyof DevFlags)[];

export const define: Define = (cluster, { io, end }) => {
  const dev = cluster
    .command("dev")
    .description("start PostgreSQL, workers and a server on this machine; the data stays for the next start")
    .option("--workers <n>", "number of workers", count, 2)
    .option("--port <n>", "port of the server; 0 picks a free one", portNumber, 8485)
    .option(
      "--folder <dir>",
      "folder of the database (default: cluster in the data directory; for root, a folder in /var/lib/signalbox)",
    );
  addTaskOptions(dev).action(async (given: DevFlags, command: Command) => {
    const { workers, port, folder, ...flags } = given;
    const { dataDir } = flags;
    const task = passedArguments(command, OWN);
    end(
      await clusterDev({ workers, port, dataDir, ...(folder !== undefined && { folder }), task, flags }, io),
    );
  });
};
