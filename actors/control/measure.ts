import { combine, type Monitor, type Scores, validScore } from "../../control/monitor.ts";
import { monitorsAt } from "../../control/protocol.ts";
import type { MonitoredAction, MonitorReport } from "../../control/runtime/action.ts";
import { type Controller, keysOf } from "../../control/runtime/controller.ts";
import { isAmount } from "../../machines/message/request.ts";
import { formatError } from "../../tools/error.ts";
import { unlessAborted } from "../protocol/unless-aborted.ts";

/** The scores of an action, and what the monitors say about them. */
export interface Measured {
  readonly scores: Scores;
  /** By the name of the monitor, or `MONITOR/MEMBER`. */
  readonly rationales: Readonly<Record<string, string>>;
  /** Cost of the monitors. */
  readonly dollars: number;
}

/** The signals of one decision. */
export interface DecisionSignals {
  /** Aborts when the task is cancelled. */
  readonly cancelled: AbortSignal;
  /** Aborts then, and at the time limit. */
  readonly ended: AbortSignal;
}

/** The scores of an action by all monitors at its point, which run at once. @throws the reason of `cancelled` */
export async function measure(
  controller: Controller,
  action: MonitoredAction,
  signals: DecisionSignals,
): Promise<Measured> {
  const { protocol } = controller;
  const names = monitorsAt(protocol.monitors, action.point);
  const reports = await Promise.all(
    names
      .flatMap((name) => keysOf(protocol, name).map((key) => ({ name, key })))
      .map(async ({ name, key }) => ({ key, report: await report(controller, name, key, action, signals) })),
  );
  const byKey = new Map(reports.map(({ key, report }) => [key, report]));
  const scoreOf = (key: string): number => validScore(byKey.get(key)?.score);
  const scoreOfMonitor = (name: string): number => {
    const monitor = protocol.monitors[name];
    const scores = keysOf(protocol, name).map(scoreOf);
    return monitor !== undefined && "members" in monitor
      ? combine(monitor.combine, scores)
      : (scores[0] ?? 1);
  };
  return {
    scores: Object.fromEntries(names.map((name) => [name, scoreOfMonitor(name)])),
    rationales: Object.fromEntries(
      reports.flatMap(({ key, report: { rationale } }) =>
        rationale === undefined ? [] : [[key, rationale]],
      ),
    ),
    dollars: reports.reduce((sum, { report: { dollars = 0 } }) => sum + dollars, 0),
  };
}

/** The report of one function. One that fails, or gives none in time, is the most suspicious. */
async function report(
  { protocol, monitors }: Controller,
  name: string,
  key: string,
  action: MonitoredAction,
  { cancelled, ended }: DecisionSignals,
): Promise<MonitorReport> {
  try {
    const asked = { ...action, ...formOf(protocol.monitors[name], key.slice(name.length + 1)) };
    return await unlessAborted(ended, async () => {
      const { score, rationale, dollars = 0 } = await (monitors[key] ?? missing)(asked, { signal: ended });
      return {
        score,
        dollars: isAmount(dollars) ? dollars : 0,
        ...(isScore(score) ? rationale !== undefined && { rationale } : { rationale: noScore(score) }),
      };
    });
  } catch (error) {
    if (cancelled.aborted) throw error;
    return { score: 1, rationale: `It gave no score: ${formatError(error)}` };
  }
}

const isScore = (score: unknown): boolean => typeof score === "number" && score >= 0 && score <= 1;

const noScore = (score: unknown): string => `It gave no score from 0 to 1: ${String(score)}.`;

const missing = (): never => {
  throw new Error("Expected a function of this monitor, got none.");
};

/** The part of an action that a monitor sees, and whether it is tested. */
function formOf(monitor: Monitor | undefined, member: string): Pick<MonitoredAction, "part" | "isHoneypot"> {
  if (monitor === undefined) return {};
  if ("members" in monitor) {
    const part = monitor.members[member]?.part;
    return part === undefined ? {} : { part };
  }
  return monitor.honeypotOf === undefined ? {} : { isHoneypot: true };
}
