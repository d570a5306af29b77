import path from "node:path";
import { Command, Option } from "commander";
import { benches } from "./benches.ts";
import { compare } from "./compare/index.ts";
import { runCompiled } from "./compilation.ts";
import { writeSections } from "./generated-file.ts";
import { type BenchResult, machine, type Size, table } from "./harness/index.ts";

interface Options {
  readonly only?: readonly string[];
  readonly size: Size;
  /** True for the file of the project. */
  readonly write?: string | true;
  readonly source?: true;
  /** A commit. */
  readonly compare?: string;
}

const command = new Command("bench")
  .description("Measure the published performance limits. Exits with code 1 if one is missed.")
  .addOption(new Option("--only <names...>", "run only these benches").choices([...benches.keys()]))
  .addOption(
    new Option("--size <size>", "full: published figures; quick: a first look; tiny: test the bench")
      .choices(["full", "quick", "tiny"])
      .default("full"),
  )
  .addOption(new Option("--quick", "the same as --size quick").implies({ size: "quick" }))
  .addOption(
    new Option("--write [file]", "renew the tables of docs/generated/benchmarks.txt, or of this file"),
  )
  .addOption(
    new Option(
      "--compare <commit>",
      "compare with the version of a commit: print ratios with intervals",
    ).conflicts(["only", "write"]),
  )
  .addOption(new Option("--source", "run the sources without compiling them first"));

const isCompiled = import.meta.url.endsWith(".js");

async function main(): Promise<void> {
  const options = command.parse().opts<Options>();
  if (isCompiled || options.source === true) {
    await run(options);
    return;
  }
  process.exitCode = await runCompiled("bench/main.js");
}

async function run({ only, size, write, compare: revision }: Options): Promise<void> {
  const machineText = machine();
  console.log(`${machineText}\n`);
  if (revision !== undefined) {
    print(await compare(revision, { size }));
    return;
  }
  const found = new Map<string, readonly BenchResult[]>();
  for (const [name, bench] of benches) {
    if (only !== undefined && !only.includes(name)) continue;
    const began = performance.now();
    found.set(name, await bench({ size }));
    console.error(`${name}: ${((performance.now() - began) / 1000).toFixed(0)} s`);
  }
  print([...found.values()].flat());
  if (write === undefined) return;
  const file = path.resolve(write === true ? "docs/generated/benchmarks.txt" : write);
  const note = size === "full" ? "" : ` Sizes: ${size}, which is too small for published figures.`;
  const taken = `Taken on ${new Date().toISOString().slice(0, 10)}: ${machineText}.${note}`;
  writeSections(file, new Map([...found].map(([name, some]) => [name, `${taken}\n\n${table(some)}`])));
}

/** Print the table. The exit code is 1 if a limit is missed. */
function print(results: readonly BenchResult[]): void {
  console.log(table(results));
  if (results.some(({ ok }) => !ok)) process.exitCode = 1;
}

await main();
