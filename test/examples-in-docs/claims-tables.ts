import { FEATURES, type Feature } from "../field-failures/features.ts";
import { FIELD_FAILURES } from "../field-failures/field-failures.ts";
import { FIELD_REPORTS } from "../field-failures/field-reports.ts";
import { gapId, LIFECYCLE_GAPS } from "../field-failures/lifecycle-gaps.ts";
import { type NamedTest, partsOf, testsOfFailure } from "../field-failures/named-tests.ts";
import { formatCell } from "./docstrings.ts";
import { formatTable } from "./format-table.ts";

// The pages that name tests for what they claim.

/** Failures of other agent runtimes, with the tests whose titles have their numbers. */
export const failureTable = (): string =>
  formatTable(
    ["#", "what happened elsewhere", "law", "tests"],
    FIELD_FAILURES.map(({ what, laws }, index) => [
      String(index + 1),
      what,
      laws,
      formatTests(testsOfFailure(index + 1), withoutMarks),
    ]),
  );

export const gapTable = (): string =>
  formatTable(
    ["id", "what happened elsewhere", "ruled out by", "tests"],
    LIFECYCLE_GAPS.map(({ what, ruledOutBy, tests }, index) => [
      gapId(index),
      what,
      ruledOutBy,
      formatTests(tests),
    ]),
  );

export const reportTable = (): string =>
  formatTable(
    ["#", "what happened", "ruled out by", "tests"],
    FIELD_REPORTS.map(({ numbers, what, ruledOutBy, tests }) => [
      numbers.join(", "),
      what,
      ruledOutBy,
      formatTests(tests),
    ]),
  );

/** A section with a table for each part of the product. */
export const featureTables = (): string =>
  Object.entries(FEATURES)
    .map(([part, features]) => `## ${part}\n\n${featureTable(features)}`)
    .join("\n\n");

const featureTable = (features: readonly Feature[]): string =>
  formatTable(
    ["feature", "here", "tests"],
    features.map(({ feature, places, tests }) => [
      formatCell(feature),
      places.map((place) => `\`${place}\``).join(", "),
      formatTests(tests),
    ]),
  );

/** The tests of one file stand behind its name. */
function formatTests(tests: readonly NamedTest[], shown = (title: string): string => title): string {
  const titles = new Map<string, readonly string[]>();
  for (const { file, fragment } of tests.map(partsOf))
    titles.set(file, [...(titles.get(file) ?? []), `"${shown(fragment).replaceAll("|", "\\|")}"`]);
  return [...titles].map(([file, quoted]) => `\`${file}\`: ${quoted.join(", ")}`).join("; ");
}

/** A title without the number of its failure and without its laws, which the row has. */
const withoutMarks = (title: string): string =>
  title.replace(/^(?:field failures? \d+|L\d+)(?:, L?\d+)*: /, "").replace(/ \([^()]*\),?$/, "");
