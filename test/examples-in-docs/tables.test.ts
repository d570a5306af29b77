import { readFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { AnyStateNode } from "xstate";
import { NON_INTERACTIVE, REJECT_ALL } from "../../client/roo/console/ask-handlers.ts";
import { taskMachine } from "../../machines/index.ts";
import { generatedIn } from "../language/words.ts";
import { pages, programWith, root } from "./program.ts";
import { TABLES } from "./tables.ts";
import { withTable } from "./with-table.ts";

let program: ReturnType<typeof programWith>;
beforeAll(() => {
  program = programWith(new Map());
});

const textOf = (page: string): string => readFileSync(path.join(root, page), "utf8");

describe("the tables that the code determines", () => {
  test.each(TABLES)(
    "$page has its $name as the code does: npm run docs:tables -- --write",
    async ({ page, name, format }) => {
      expect(textOf(page)).toBe(withTable(textOf(page), name, await format(program)));
    },
  );

  test("are all that the pages mark as such", () => {
    const marked = pages.flatMap((page) => generatedIn(textOf(page)).map((name) => `${page}: ${name}`));
    expect(marked.sort()).toEqual(TABLES.map(({ page, name }) => `${page}: ${name}`).sort());
  });
});

/** The names that the first column of the table under a heading quotes. */
function quotedIn(page: string, heading: string, isListed: (line: string) => boolean): readonly string[] {
  const section = textOf(page).split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
  return section
    .split("\n")
    .filter((line) => line.startsWith("|`") && isListed(line))
    .flatMap((line) => [...(line.split("|")[1] ?? "").matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name));
}

/** The paths of the states that contain no other. */
const leavesOf = ({ path: names, states }: AnyStateNode): readonly string[] =>
  Object.keys(states).length === 0 ? [names.join(".")] : Object.values(states).flatMap(leavesOf);

test("the page about the machine has each state that contains no other, once", () => {
  const states = quotedIn("docs/concepts/machine.md", "States", () => true);
  expect([...states].sort()).toEqual([...leavesOf(taskMachine.root)].sort());
});

test("the page about output has each ask that has a rule where no person is present", () => {
  const asks = quotedIn(
    "docs/guide/output-and-prompts.md",
    "AskDispatcher",
    (line) => !line.includes("as for a person"),
  );
  expect([...asks].sort()).toEqual(Object.keys({ ...NON_INTERACTIVE, ...REJECT_ALL }).sort());
});
