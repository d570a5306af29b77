import { homedir } from "node:os";
import path from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";

/** The newest whose price is known here. */
const DEFAULT_MODEL = "claude-sonnet-4-6";
/** What commander makes of the command line. */
export interface RunFlags {
  readonly workspace: string;
  readonly print?: true;
  readonly yes?: true;
  readonly requireApproval?: true;
  readonly model: string;
  readonly baseUrl?: string;
  readonly apiKey?: string;
  readonly provider: "anthropic" | "mock";
  readonly script?: string;
  readonly outputFormat: "text" | "json";
  readonly promptFile?: string;
  readonly dataDir: string;
  readonly oneshot?: true;
  readonly exitOnError?: true;
  readonly consecutiveMistakeLimit?: number;
  readonly ephemeral?: true;
  readonly debug?: true;
}

/** Gives a command the options of `run`. */
export function addRunOptions(command: Command): Command {
  return command
    .option("-w, --workspace <dir>", "the folder that the agent works in", ".")
    .option("-p, --print", "print what it does and end; nobody is asked")
    .option("-y, --yes", "approve everything")
    .addOption(new Option("-a, --require-approval", "ask about everything, reads too").conflicts("yes"))
    .option("-m, --model <name>", "the model", DEFAULT_MODEL)
    .option("--base-url <url>", "the endpoint (also ANTHROPIC_BASE_URL)")
    .option("-k, --api-key <key>", "the key (better: ANTHROPIC_API_KEY)")
    .addOption(
      new Option("--provider <name>", "where answers come from")
        .choices(["anthropic", "mock"])
        .default("anthropic"),
    )
    .option("--script <file>", "what the mock provider says (docs/mock.md)")
    .addOption(
      new Option("--output-format <format>", "with --print: text or json")
        .argParser(outputFormat)
        .default("text"),
    )
    .option("--prompt-file <file>", "read the prompt from a file")
    .option("--data-dir <dir>", "where the journals lie", path.join(homedir(), ".signalbox"))
    .option("--oneshot", "end when the task is complete, without asking whether it is")
    .option("--exit-on-error", "end when a request fails, without trying again")
    .addOption(
      new Option(
        "--consecutive-mistake-limit <n>",
        "mistakes in a row until you are asked; 0 is never",
      ).argParser(wholeNumber),
    )
    .option("--ephemeral", "keep nothing on disk")
    .option("-d, --debug", "write a debug log beside the journal");
}

function outputFormat(value: string): "text" | "json" {
  if (value === "text" || value === "json") return value;
  if (value === "stream-json")
    throw new InvalidArgumentError("stream-json is not there yet. Use text or json.");
  throw new InvalidArgumentError("Expected text or json.");
}

function wholeNumber(value: string): number {
  if (/^\d{1,6}$/.test(value)) return Number(value);
  throw new InvalidArgumentError("Expected a whole number from 0 to 999999.");
}
