import type { Case } from "./cases.ts";
import { PROGRESS, type Violation } from "./explore.ts";

/**
 * A violation as a test file for vitest, that fails until it is mended. It plays the path again on the shipped
 * machine under all laws; for one of one's own, change the imports. Only a violation of L13 explores again, for no
 * single path shows it.
 */
export function testFileOf({ law, what, path }: Violation, { bounds, input }: Omit<Case, "name">): string {
  const title = JSON.stringify(`${law}: ${what}`);
  const given = json(input);
  if (law === PROGRESS.law)
    return `import { taskMachine } from "signalbox/machines";
import { explore } from "signalbox/verify";
import { expect, test } from "vitest";

test(${title}, () => {
  const found = explore({ machine: taskMachine, laws: [], bounds: ${json(bounds)}, input: ${given} });
  expect(found.violations.map(({ law, what }) => \`\${law}: \${what}\`)).toEqual([]);
});
`;
  return `import { taskMachine } from "signalbox/machines";
import { ALL_LAWS, brokenOn, type Happening } from "signalbox/verify";
import { expect, test } from "vitest";

const path: readonly Happening[] = [
${path.map((happening) => `  ${json(happening)},`).join("\n")}
];

test(${title}, () => {
  expect(brokenOn(path, taskMachine, ALL_LAWS, ${given})).toEqual([]);
});
`;
}

const json = (value: unknown): string => JSON.stringify(value);
