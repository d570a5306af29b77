import { describe, expect, it } from "vitest";
import {
  formatLocation,
  isOtherPlace,
  type PageLocation,
  parseLocation,
} from "../../../visualize/page/model/location.ts";

describe("the location in an address", () => {
  const PLACES: readonly (readonly [string, PageLocation])[] = [
    ["", {}],
    ["#/tasks", { view: "tasks" }],
    ["#/tasks?q=build+tests", { view: "tasks", query: "build tests" }],
    ["#/lab/suite", { view: "suite" }],
    ["#/lab/suite?q=missed", { view: "suite", runs: "missed" }],
    ["#/lab/verification", { view: "verification" }],
    [
      "#/t/a%20b%2Fc?at=12&with=d%26e&file=trace.json",
      { task: "a b/c", at: 12, comparedWith: "d&e", file: "trace.json" },
    ],
    ["#/t/t?message=1700000000000", { task: "t", message: 1_700_000_000_000 }],
    ["#/t/t?call=toolu_1&pane=why", { task: "t", call: "toolu_1", pane: "why" }],
    ["#/t/t?pane=messages", { task: "t", pane: "transcript" }],
    ["#/t/t?pane=conversation", { task: "t", pane: "transcript", asModel: true }],
    ["#/t/t?pane=why&as=model", { task: "t", pane: "why", asModel: true }],
    ["#/t/t?pane=outline", { task: "t", pane: "outline" }],
    ["#file=trace.json", { file: "trace.json" }],
  ];

  it.each(PLACES)("%s is parsed as it was formatted", (address, place) => {
    expect(formatLocation(place)).toBe(address);
    expect(parseLocation(address)).toEqual(place);
  });

  it("is also read from fields alone, as a printed address with a token has it", () => {
    expect(parseLocation("#token=x&task=t&at=4")).toEqual({ task: "t", at: 4 });
    expect(parseLocation("#token=x&view=suite")).toEqual({ view: "suite" });
    expect(parseLocation("#q=build")).toEqual({ view: "tasks", query: "build" });
  });

  it("still names each pane that the page has had", () => {
    const names = ["chart", "state", "messages", "sequence", "conversation", "problems", "why", "compare"];
    const panes = names.map((name) => parseLocation(`#pane=${name}`).pane);
    expect(panes).toEqual(
      names.map((name) => (["messages", "conversation"].includes(name) ? "transcript" : name)),
    );
  });

  it("ignores unknown and invalid fields", () => {
    expect(parseLocation("#/t/t?at=-1&pane=nothing&view=none&more=1")).toEqual({ task: "t" });
    expect(parseLocation("#/elsewhere")).toEqual({});
    expect(parseLocation("#/t/%E0%A4%A")).toEqual({ task: "%E0%A4%A" });
  });

  it("is another place with another task, view or compared task, and the same at another event or pane", () => {
    const place = { task: "a", at: 1 };
    expect(isOtherPlace(place, { task: "a", at: 2, pane: "why" })).toBe(false);
    expect(isOtherPlace(place, { task: "b" })).toBe(true);
    expect(isOtherPlace(place, { ...place, view: "tasks" })).toBe(true);
    expect(isOtherPlace(place, { ...place, comparedWith: "b" })).toBe(true);
  });
});
