import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { writeSections } from "../../bench/generated-file.ts";

/** Write the scores of the last mutation runs to docs/generated/mutation-scores.txt: `npm run docs:mutation`. */
const at = (file: string): string => fileURLToPath(new URL(`../../${file}`, import.meta.url));

const CAMPAIGNS: Readonly<Record<string, string>> = {
  machines: ".stryker-tmp/report.json",
  laws: ".stryker-tmp/laws-report.json",
  verify: ".stryker-tmp/verify-report.json",
  temporal: ".stryker-tmp/temporal-report.json",
};

const reportSchema = z.object({
  files: z.record(z.string(), z.object({ mutants: z.array(z.object({ status: z.string() })) })),
});

interface Score {
  readonly name: string;
  readonly mutants: number;
  readonly killed: number;
}

/** Count the mutants of each file. A timeout counts as killed; a mutant that does not compile is not counted. */
function scoresIn(report: string): readonly Score[] {
  const { files } = reportSchema.parse(JSON.parse(readFileSync(report, "utf8")));
  return Object.entries(files).map(([name, { mutants }]) => {
    const count = (...statuses: readonly string[]) =>
      mutants.filter(({ status }) => statuses.includes(status)).length;
    const killed = count("Killed", "Timeout");
    return { name, killed, mutants: killed + count("Survived", "NoCoverage") };
  });
}

const total = (name: string, scores: readonly Score[]): Score => ({
  name,
  mutants: scores.reduce((sum, { mutants }) => sum + mutants, 0),
  killed: scores.reduce((sum, { killed }) => sum + killed, 0),
});

const line = ({ name, mutants, killed }: Score): string =>
  `${name.padEnd(48)} ${String(mutants).padStart(7)} ${String(killed).padStart(7)} ${((100 * killed) / mutants).toFixed(1).padStart(7)} %`;

const sections = new Map<string, string>();
for (const [name, report] of Object.entries(CAMPAIGNS)) {
  if (!existsSync(at(report))) continue;
  const scores = scoresIn(at(report)).filter(({ mutants }) => mutants > 0);
  const header = `${"file".padEnd(48)} mutants  killed   score`;
  const taken = `Measured on ${new Date().toISOString().slice(0, 10)}.`;
  sections.set(name, [taken, "", header, ...scores.map(line), line(total("all", scores))].join("\n"));
}
writeSections(at("docs/generated/mutation-scores.txt"), sections);
console.log(`Renewed: ${[...sections.keys()].join(", ") || "nothing, because .stryker-tmp has no report"}`);
