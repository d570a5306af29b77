import { changesCourse, type ReplayedDecision } from "../../../runtime/control-replay/replay.ts";
import { formatTable } from "../../verify/table.ts";
import { labelOf } from "../plots/label.ts";

const HEADS = ["", "point", "call", "tool", "author", "scores", "verdict", "state after"];

/** Format the decisions of a protocol as a table, with what it can't show. */
export function formatReplay(protocol: string, decisions: readonly ReplayedDecision[]): string {
  const name = labelOf(protocol);
  if (decisions.length === 0) return `The log has no point at which the protocol "${name}" decides.\n`;
  const hasSubtasks = decisions.some(({ taskId }) => taskId !== decisions[0]?.taskId);
  const rows = decisions.map((decision, index) => [
    `${index + 1}${decision.isAfterChange ? "*" : ""}`,
    ...(hasSubtasks ? [labelOf(decision.taskId)] : []),
    decision.point,
    labelOf(decision.callId ?? decision.requestId),
    labelOf(decision.tool ?? "-"),
    decision.author,
    formatScores(decision),
    formatVerdict(decision),
    labelOf(JSON.stringify(decision.state)),
  ]);
  const [number = "", ...heads] = HEADS;
  const table = formatTable([number, ...(hasSubtasks ? ["task"] : []), ...heads], rows);
  const first = decisions.findIndex(({ verdict }) => changesCourse(verdict));
  const parts = [
    `Decisions of "${name}" about a recorded log. Nothing ran.`,
    table,
    ...(first === -1 || first === decisions.length - 1
      ? []
      : [
          `*: decision ${first + 1} (${decisions[first]?.verdict.kind}) would have changed the course. The log shows what happened without it.`,
        ]),
    ...(decisions.some(({ verdict }) => verdict.kind === "audit")
      ? ["An audit that finds an attack ends the run: the replay takes each as harmless."]
      : []),
  ];
  return `${parts.join("\n\n")}\n`;
}

const formatScores = ({ scores }: ReplayedDecision): string =>
  Object.entries(scores)
    .map(([monitor, score]) => `${labelOf(monitor)} ${score.toFixed(3)}`)
    .join(", ") || "-";

const formatVerdict = ({ verdict }: ReplayedDecision): string =>
  "reason" in verdict ? `${verdict.kind}: ${labelOf(verdict.reason)}` : verdict.kind;
