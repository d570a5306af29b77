import { writeFileSync } from "node:fs";
import path from "node:path";
import { Command, Option } from "commander";
import { runCompiled } from "../compilation.ts";
import { machine, ROOT } from "../harness/index.ts";
import { type Installed, install } from "./install.ts";
import { measurePeers, type Ready, type Sizes } from "./measurements.ts";
import { BASELINE, PEERS } from "./peers.ts";
import { formatReport } from "./report.ts";
import { formatWeights } from "./weight.ts";

interface Options {
  readonly only?: readonly string[];
  readonly quick?: true;
  readonly installed?: true;
  readonly write?: true;
}

const FULL: Sizes = {
  deltas: 20_000,
  turns: 200,
  bytes: 1_000_000,
  agents: 300,
  runs: 3,
  importRuns: 3,
  limitMs: 40_000,
};
const QUICK: Sizes = {
  deltas: 2_000,
  turns: 20,
  bytes: 100_000,
  agents: 50,
  runs: 1,
  importRuns: 1,
  limitMs: 15_000,
};

const methodOf = ({ runs, importRuns }: Sizes): string =>
  `Each run is a process of its own; the mock of the Messages API is another one. CPU time is that of the run: user and
system, with garbage collection and compilation, without imports. Runs of the libraries alternate; times are medians of ${runs} runs, imports of ${importRuns}. Each run is
checked: text, number of turns and tool calls, tool input byte by byte. Libraries run with their defaults. In the table of faults
"pass" is the right result, "error" an error that the caller sees, "FAIL" a wrong result without an error: a finish reason that a
caller may check is not an error.`;

const command = new Command("bench:peers")
  .description("Measure the engine against a loop over the SDK and against other agent libraries.")
  .addOption(new Option("--only <names...>", "run only these").choices(PEERS.map(({ name }) => name)))
  .addOption(new Option("--quick", "small sizes, one run: for a first look"))
  .addOption(new Option("--installed", "only install, and measure what is installed").conflicts("quick"))
  .addOption(
    new Option("--write", "renew docs/generated/peers.txt, or with --installed installed.txt").conflicts([
      "only",
      "quick",
    ]),
  );

async function main(): Promise<void> {
  const options = command.parse().opts<Options>();
  if (import.meta.url.endsWith(".js")) {
    await run(options);
    return;
  }
  process.exitCode = await runCompiled("bench/peers/main.js");
}

async function run({ only, quick, installed: isWeighed, write }: Options): Promise<void> {
  const machineText = machine();
  const sizes = quick ? QUICK : FULL;
  const installed = new Map<string, Installed>();
  const ready: Ready[] = [];
  for (const peer of PEERS) {
    if (only !== undefined && peer !== BASELINE && !only.includes(peer.name)) continue;
    const found = await install(peer);
    installed.set(peer.name, found);
    if ("reason" in found) console.error(`${peer.name}: not run: ${found.reason}`);
    else ready.push({ peer, folder: found.folder });
  }
  const taken = `Taken on ${new Date().toISOString().slice(0, 10)}: ${machineText}.`;
  const report = isWeighed
    ? `${taken}\n\nInstalled for production, with each library's packages for the Messages API.\n\n${await formatWeights(installed)}\n`
    : `${taken}\n\n${methodOf(sizes)}\n\n${formatReport({ sizes, installed, figures: await measurePeers(ready, sizes) })}`;
  console.log(report);
  const file = isWeighed ? "installed.txt" : "peers.txt";
  if (write) writeFileSync(path.join(ROOT, "docs/generated", file), report);
}

await main();
