import { ASKS } from "../../machines/message/asks.ts";
import { type WebviewControls, webviewControls } from "../../machines/message/controls.ts";
import { detectAgentState } from "../../machines/message/detect.ts";
import { formatTable } from "./format-table.ts";

// The tables of the page about derivation.

/** The state and the required action of each kind of ask. */
export const askTable = (): string =>
  formatTable(
    ["ask", "state", "required action"],
    Object.keys(ASKS).map((ask) => {
      const { state, requiredAction } = detectAgentState([{ ts: 1, type: "ask", ask }]);
      return [ask, state, requiredAction].map((name) => `\`${name}\``);
    }),
  );

/** The kinds of `tool` with buttons of their own, by a tool of each. */
const TOOLS = [
  ["", "readFile"],
  [", a change of a file", "appliedDiff"],
  [", a subtask's end", "finishTask"],
] as const;

/** The buttons and the text field of each kind of ask. */
export function controlTable(): string {
  const rows = Object.keys(ASKS).flatMap((ask) =>
    (ask === "tool" ? TOOLS : [["", ""] as const]).map(([kind, tool]) => {
      const controls = webviewControls([{ ts: 1, type: "ask", ask, text: JSON.stringify({ tool }) }]);
      return [
        `\`${ask}\`${kind}`,
        formatButton(controls.primary),
        formatButton(controls.secondary),
        textOf(controls),
      ];
    }),
  );
  return formatTable(["ask", "primary button", "secondary button", "text"], rows);
}

function formatButton(button: WebviewControls["primary"]): string {
  if (button === undefined) return "none";
  const { label, action } = button;
  if (action.type === "askResponse")
    return `${label} (${action.askResponse === "yesButtonClicked" ? "yes" : "no"})`;
  return `${label} (\`${action.type === "clearTask" ? action.type : action.terminalOperation}\`)`;
}

function textOf({ sending, sendingDisabled }: WebviewControls): string {
  if (sending === "messageResponse") return "answers";
  return sendingDisabled ? "queued; the field is locked" : "queued";
}
