import { openPostgres } from "../../../store/postgres/store.ts";
import { LONG_LEASE_MS } from "../../support/postgres.ts";
import { commit, header, lines } from "../../testing/conformance.ts";

// Appends until it is killed, and reports the number of each record that is durable.
const [url = "", task = ""] = process.argv.slice(2);
const store = await openPostgres({ url, leaseMs: LONG_LEASE_MS });
const driver = store.journal(task);
await driver.append(lines(header), { first: true });
process.send?.(0);
for (let seq = 1; ; seq += 1) {
  await driver.append(lines(commit(seq)));
  process.send?.(seq);
}
