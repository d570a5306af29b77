import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ASKS, isAskType } from "../../../machines/message/asks.ts";
import { webviewControls } from "../../../machines/message/controls.ts";
import { detectAgentState } from "../../../machines/message/detect.ts";

/** The cells of each table row of the page whose first cell is a name. */
const rows = readFileSync(new URL("../../../docs/concepts/derivation.md", import.meta.url), "utf8")
  .split("\n")
  .filter((line) => /^\| ?`/.test(line))
  .map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll("`", "")),
  );
const stateRows = rows.filter((cells) => cells.length === 3);
const buttonRows = rows.filter(([name = "", ...rest]) => rest.length === 3 && isAskType(name));

const labelsFor = (ask: string) => {
  const { primary, secondary } = webviewControls([{ ts: 1, type: "ask", ask, text: '{"tool":"readFile"}' }]);
  return [primary?.label ?? "none", secondary?.label ?? "none"];
};

describe("The page about derivation", () => {
  it("has every ask in both tables", () => {
    const asks = Object.keys(ASKS).toSorted();
    expect(stateRows.map(([ask]) => ask).toSorted()).toEqual(asks);
    expect(buttonRows.map(([ask]) => ask).toSorted()).toEqual(asks);
  });

  it.each(stateRows)("has the state and action of %s: %s, %s", (ask, state, action) => {
    expect(detectAgentState([{ ts: 1, type: "ask", ask }])).toMatchObject({ state, requiredAction: action });
  });

  it.each(buttonRows)("has the buttons of %s: %s, %s", (ask, primary, secondary) => {
    const [first, second] = labelsFor(ask);
    expect(primary).toContain(first);
    expect(secondary).toContain(second);
  });
});
