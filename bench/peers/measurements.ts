import path from "node:path";
import { builtFile, importing, processCpuMs, ROOT, withFolder, withMocks } from "../harness/index.ts";
import { type JobResult, runJob } from "./job.ts";
import type { Peer } from "./peer.ts";
import { type ScriptName, scriptsFor } from "./scripts.ts";
import type { Work } from "./work.ts";

/** A peer that is ready to run. */
export interface Ready {
  readonly peer: Peer;
  readonly folder: string | undefined;
}

export interface Sizes {
  readonly deltas: number;
  readonly turns: number;
  readonly bytes: number;
  readonly agents: number;
  readonly runs: number;
  readonly importRuns: number;
  /** Maximum CPU time of one run. */
  readonly limitMs: number;
}

/** What is measured: a script of the mock and the work of the child. */
interface Column {
  readonly script: ScriptName;
  readonly work: (sizes: Sizes) => Work;
  /** True for memory, which hardly differs between runs. */
  readonly once?: true;
}

const SETTLE_MS = 5_000;

export const COSTS = {
  text: { script: "text", work: ({ deltas }) => ({ kind: "text", deltas }) },
  turns: { script: "turns", work: ({ turns }) => ({ kind: "turns", turns }) },
  toolInput: { script: "toolInput", work: ({ bytes }) => ({ kind: "toolInput", bytes }) },
  waiting: { script: "waiting", work: ({ agents }) => ({ kind: "waiting", agents, warm: 20 }), once: true },
} as const satisfies Record<string, Column>;
export type Cost = keyof typeof COSTS;

export const FAULTS = {
  textReset: { script: "textReset", work: () => ({ kind: "textFault", deltas: 50 }) },
  textEnd: { script: "textEnd", work: () => ({ kind: "textFault", deltas: 50 }) },
  toolReset: { script: "toolReset", work: () => ({ kind: "toolFault" }) },
  toolEnd: { script: "toolEnd", work: () => ({ kind: "toolFault" }) },
  unresponsive: { script: "unresponsive", work: () => ({ kind: "unresponsive", limitMs: SETTLE_MS }) },
  overload: { script: "overload", work: () => ({ kind: "textFault", deltas: 50 }) },
} as const satisfies Record<string, Column>;
export type Fault = keyof typeof FAULTS;

/** The results of a peer, one for each run. */
export interface Figures {
  readonly costs: Record<Cost, JobResult[]>;
  readonly faults: Record<Fault, JobResult[]>;
  readonly importMs: number[];
}

interface Measured extends Ready {
  readonly figures: Figures;
}
type Run = (measured: Measured, column: Column) => Promise<JobResult>;

/** Measure all peers, alternating between them. */
export async function measurePeers(
  ready: readonly Ready[],
  sizes: Sizes,
): Promise<ReadonlyMap<string, Figures>> {
  const measured = ready.map((each): Measured => ({ ...each, figures: noFigures() }));
  await withMocks(scriptsOfAll(sizes), (urlOf) =>
    withFolder(async (folder) => {
      let count = 0;
      const run: Run = ({ peer, folder: installed }, { script, work }) => {
        count += 1;
        const url = urlOf(`${peer.endsWith} ${script}`);
        const place = { url, prompt: `Go. Run ${count}.`, folder: path.join(folder, String(count)) };
        return runJob({ peer: peer.name, installed, ...place, work: work(sizes), limitMs: sizes.limitMs });
      };
      await measureCosts(measured, sizes.runs, run);
      await measureFaults(measured, run);
    }),
  );
  await measureImports(measured, sizes.importRuns);
  return new Map(measured.map(({ peer, figures }) => [peer.name, figures]));
}

/** The scripts for both ways to end a task. */
function scriptsOfAll(sizes: Sizes): Readonly<Record<string, unknown>> {
  const entries = (["text", "attempt_completion"] as const).flatMap((endsWith) =>
    Object.entries(scriptsFor(endsWith, sizes)).map(([name, script]) => [`${endsWith} ${name}`, script]),
  );
  return Object.fromEntries(entries);
}

async function measureCosts(measured: readonly Measured[], runs: number, run: Run): Promise<void> {
  for (const [name, column] of Object.entries(COSTS) as [Cost, Column][]) {
    for (const each of alternating(measured, column.once ? 1 : runs)) {
      const results = each.figures.costs[name];
      // A peer that was too slow or wrong once is not run again.
      const hasFailed = results.some((result) => !("outcome" in result));
      if (!hasFailed) results.push(await run(each, column));
    }
    console.error(`${name}: done`);
  }
}

async function measureFaults(measured: readonly Measured[], run: Run): Promise<void> {
  for (const [name, column] of Object.entries(FAULTS) as [Fault, Column][]) {
    for (const each of measured) each.figures.faults[name].push(await run(each, column));
    console.error(`${name}: done`);
  }
}

async function measureImports(measured: readonly Measured[], runs: number): Promise<void> {
  builtFile("dist/index.js");
  for (const each of alternating(measured, runs)) {
    const { peer, folder = ROOT, figures } = each;
    // Some libraries open handles when they are imported.
    const program = `${importing(peer.imports)}\nprocess.exit(0);`;
    figures.importMs.push(await processCpuMs(program, folder));
  }
  console.error("import: done");
}

/** Each item once a run, in both directions by turns. */
const alternating = <T>(items: readonly T[], runs: number): readonly T[] =>
  Array.from({ length: runs }, (_, run) => (run % 2 === 0 ? items : items.toReversed())).flat();

const noFigures = (): Figures => ({
  costs: { text: [], turns: [], toolInput: [], waiting: [] },
  faults: { textReset: [], textEnd: [], toolReset: [], toolEnd: [], unresponsive: [], overload: [] },
  importMs: [],
});
