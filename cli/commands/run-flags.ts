import { homedir } from "node:os";
import path from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import type { RunSettings } from "../run/index.ts";

/** The newest whose price is known here. */
const DEFAULT_MODEL = "claude-sonnet-4-6";
export const OUTPUT_FORMATS = ["text", "json", "stream-json"] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];
const REASONING_EFFORTS = [
  "unspecified",
  "disabled",
  "none",
  "minimal",
  "low",
  "medium",
  "high",
  "xhigh",
] as const;
export type ReasoningEffort = (typeof REASONING_EFFORTS)[number];

/** What commander makes of the command line. */
export interface RunFlags {
  readonly workspace?: string;
  readonly print?: true;
  readonly yes?: true;
  readonly requireApproval?: true;
  readonly model: string;
  readonly baseUrl?: string;
  readonly apiKey?: string;
  readonly provider: "anthropic" | "mock";
  readonly script?: string;
  readonly outputFormat: OutputFormat;
  readonly stdinPromptStream?: true;
  readonly signalOnlyExit?: true;
  readonly withMessages?: true;
  readonly mode?: string;
  /** False with --no-tui: the same as --print. */
  readonly tui: boolean;
  readonly reasoningEffort?: ReasoningEffort;
  readonly promptFile?: string;
  readonly dataDir: string;
  readonly oneshot?: true;
  readonly exitOnError?: true;
  readonly consecutiveMistakeLimit?: number;
  readonly ephemeral?: true;
  readonly sessionId?: string;
  readonly continue?: true;
  readonly createWithSessionId?: string;
  /** False with --no-checkpoints. */
  readonly checkpoints: boolean;
  readonly debug?: true;
  /** Set by the command's name, and by no flag. Default: nobody. */
  readonly answers?: RunSettings["answers"];
}

/** Gives a command the options of `run`. */
export function addRunOptions(command: Command): Command {
  return command
    .option("-w, --workspace <dir>", "the folder that the agent works in (default: this one)")
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
      new Option("--output-format <format>", "with --print: what is printed")
        .choices(OUTPUT_FORMATS)
        .default("text"),
    )
    .option("--stdin-prompt-stream", "read commands from the input, one a line (docs/ndjson.md)")
    .option(
      "--with-messages",
      "with --stdin-prompt-stream: write the rows too, for a client that shows them (docs/protocols.md)",
    )
    .option("--signal-only-exit", "with --stdin-prompt-stream: stay until a signal")
    .option("--mode <slug>", "the mode that the task begins in (default: code)")
    .addOption(
      new Option(
        "-r, --reasoning-effort <effort>",
        "how much the model thinks, where it knows such levels",
      ).choices(REASONING_EFFORTS),
    )
    .addOption(new Option("-P, --no-tui", "the same as --print").hideHelp())
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
    .addOption(
      new Option("--session-id <id>", "go on with this task; the beginning of its id will do").conflicts([
        "continue",
        "createWithSessionId",
        "ephemeral",
      ]),
    )
    .addOption(
      new Option("-c, --continue", "go on with the newest task of this workspace").conflicts([
        "createWithSessionId",
        "ephemeral",
      ]),
    )
    .addOption(new Option("--create-with-session-id <uuid>", "give the new task this id").argParser(uuid))
    .option("--no-checkpoints", "don't snapshot the workspace before it is changed")
    .option("--ephemeral", "keep nothing on disk")
    .option("-d, --debug", "write a debug log beside the journal");
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

function uuid(value: string): string {
  if (UUID.test(value)) return value;
  throw new InvalidArgumentError("Expected a UUID, of version 1 to 8.");
}

function wholeNumber(value: string): number {
  if (/^\d{1,6}$/.test(value)) return Number(value);
  throw new InvalidArgumentError("Expected a whole number from 0 to 999999.");
}
