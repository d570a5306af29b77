import type { Command } from "commander";
import { recordedSteps } from "../../../runtime/control-replay/recorded-steps.ts";
import { replay } from "../../../runtime/control-replay/replay.ts";
import { bound, seed } from "../../arguments.ts";
import type { Invocation } from "../../commands/command.ts";
import { formatLeftOut } from "../../log/left-out.ts";
import { DATA_DIR, textOrJson } from "../../options.ts";
import { withCliErrors } from "../../store-error.ts";
import { loadProtocol } from "../protocol-module.ts";
import { share } from "../worst-case-flags.ts";
import { readReplayLog } from "./replay-log.ts";
import { formatReplay } from "./replay-text.ts";
import { assertUsed, readStepScores, scoresAt } from "./step-scores.ts";

interface ReplayFlags {
  readonly protocol: string;
  readonly threshold: number;
  readonly audits: number;
  readonly scores?: string;
  readonly score: number;
  readonly seed: number;
  readonly dataDir: string;
  readonly format: "text" | "json";
}

/** Add the command `control replay`. */
export function defineReplay(control: Command, { print }: Pick<Invocation, "print">): void {
  control
    .command("replay")
    .description("print what a protocol would have decided in a recorded task; nothing runs")
    .argument("<log>", "task id, a prefix of it, or the path of a journal")
    .requiredOption("--protocol <name|file>", "shipped protocol, or a module that exports `protocol`")
    .option("--threshold <score>", "score over which an action is suspicious", share, 0.5)
    .option("--audits <n>", "audit budget: number of audits in a run", bound, 1)
    .option("--scores <file>", "scores by digest, call id or request id (default: as recorded)")
    .option("--score <score>", "score of a monitor without one", share, 1)
    .option("--seed <n>", "seed of the drawn numbers", seed, 0)
    .option(...DATA_DIR)
    .addOption(textOrJson())
    .action(async (log: string, flags: ReplayFlags) => print(await controlReplay(log, flags)));
}

/** `control replay`: the decisions of a protocol about a log. @throws CliError for an unknown log, protocol or score */
async function controlReplay(given: string, flags: ReplayFlags): Promise<string> {
  const { threshold, audits: auditBudget } = flags;
  const protocol = await loadProtocol(flags.protocol, { threshold, auditBudget });
  const { task, leftOut } = await withCliErrors(() => readReplayLog(given, flags.dataDir));
  const steps = recordedSteps(task);
  const scores = flags.scores === undefined ? new Map() : await readStepScores(flags.scores);
  if (flags.scores !== undefined) assertUsed(scores, steps, flags.scores);
  const { score, seed } = flags;
  const decisions = replay(protocol, steps, { scoresAt: (step) => scoresAt(scores, step), score, seed });
  if (flags.format === "text")
    return [
      formatReplay(protocol.name, decisions),
      ...leftOut.map((part) => `${formatLeftOut(part)}\n`),
    ].join("\n");
  const head = { type: "replay", protocol: protocol.name, taskId: task.header.taskId, leftOut };
  return [head, ...decisions.map((decision) => ({ type: "decision", ...decision }))]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join("");
}
