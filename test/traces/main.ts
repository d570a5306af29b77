import { fileURLToPath } from "node:url";
import { Command, Option } from "commander";
import { compareTraces, formatTraceChanges } from "../support/trace-folder.ts";
import { fullRacesText, fullRemainingText, TRACES } from "../support/traces.ts";

const { write, full } = new Command("traces")
  .description(
    "Compares the traces under test/traces with what the machine does now, and names those that differ. Ends with " +
      "code 1 if any does.",
  )
  .option("--write", "renew them instead: write what is changed or new, remove what nothing makes any longer", false)
  .addOption(
    new Option("--full <summary>", "print what a summary is made of").choices(["races", "remaining"] as const),
  )
  .parse()
  .opts<{ readonly write: boolean; readonly full?: "races" | "remaining" }>();

if (full !== undefined) process.stdout.write(full === "races" ? fullRacesText() : fullRemainingText());
else await compare();

async function compare(): Promise<void> {
const changes = await compareTraces(fileURLToPath(new URL(".", import.meta.url)), TRACES, { write });
process.stdout.write(formatTraceChanges(changes));
if (!write && Object.values(changes).some((files) => files.length > 0)) {
  process.stderr.write("Read what has changed. If it is meant, renew them: npm run traces -- --write\n");
  process.exitCode = 1;
}
}
