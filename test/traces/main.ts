import { fileURLToPath } from "node:url";
import { Command, Option } from "commander";
import { compareTraces, formatTraceChanges } from "../support/trace-folder.ts";
import { fullRacesText, fullRemainingText, TRACES } from "../support/traces.ts";

const { write, full } = new Command("traces")
  .description(
    "Compares the traces under test/traces with the current behavior and lists those that differ. Exits with code 1 " +
      "if any differ.",
  )
  .option("--write", "renew the files: write changed and new ones, remove orphaned ones", false)
  .addOption(
    new Option("--full <summary>", "print the full text of a summary").choices(["races", "remaining"] as const),
  )
  .parse()
  .opts<{ readonly write: boolean; readonly full?: "races" | "remaining" }>();

if (full !== undefined) process.stdout.write(full === "races" ? fullRacesText() : fullRemainingText());
else await compare();

async function compare(): Promise<void> {
const changes = await compareTraces(fileURLToPath(new URL(".", import.meta.url)), TRACES, { write });
process.stdout.write(formatTraceChanges(changes));
if (!write && Object.values(changes).some((files) => files.length > 0)) {
  process.stderr.write("Read the changes. If they are intended, renew the traces: npm run traces -- --write\n");
  process.exitCode = 1;
}
}
