import { readdir } from "node:fs/promises";
import { availableParallelism } from "node:os";
import path from "node:path";
import { POLICIES } from "../../cli/control/policies/policies.ts";
import { plannedGroups } from "../../cli/control/run/planned-run.ts";
import { runSuite } from "../../cli/control/run/suite.ts";
import { readSetting } from "../../cli/control/setting/setting.ts";
import { shippedProtocols } from "../../control/protocols/shipped.ts";
import { type BenchOptions, type BenchResult, formatNumber, limited, ROOT } from "../harness/index.ts";

const SIZES = { full: 1_000, quick: 100, tiny: 10 } as const;
const SETTINGS = path.join(ROOT, "cli/control/settings");
/** The protocols of 1,000 runs, with 16 settings and 7 policies. */
const PROTOCOLS = 9;

/** The time of a run of the control suite: a task with scripted models, its commands, and two checks in `sh`. */
export async function control({ size }: BenchOptions): Promise<readonly BenchResult[]> {
  const count = SIZES[size];
  const protocols = shippedProtocols({ threshold: 0.5, auditBudget: 1 }).slice(0, PROTOCOLS);
  const groups = plannedGroups({
    settings: await Promise.all(
      (await readdir(SETTINGS)).sort().map((name) => readSetting(path.join(SETTINGS, name))),
    ),
    policies: POLICIES,
    protocols: protocols.map((protocol) => ({ protocol, source: "" })),
    models: {},
    samples: 1,
    seed: 1,
  });

  const start = performance.now();
  const rows = await runSuite(groups.slice(0, count), {
    jobs: availableParallelism(),
    isSandboxed: false,
    signal: new AbortController().signal,
    onProgress: () => {},
  });
  const ms = performance.now() - start;
  const decisions = rows.reduce((sum, row) => sum + row.decisions.length, 0) / rows.length;
  const detail = `${rows.length} runs in ${formatNumber(ms / 1_000)} s, without a sandbox; ${formatNumber(decisions)} decisions each`;
  return [limited("time of a run of `control run`", ms / rows.length, "ms", 120, detail)];
}
