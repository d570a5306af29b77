import { openPostgres } from "../../../store/postgres/store.ts";
import { LONG_LEASE_MS } from "../../support/postgres.ts";

// Puts three chunks of an object, then waits to be killed.
const [url = "", task = ""] = process.argv.slice(2);
const store = await openPostgres({ url, leaseMs: LONG_LEASE_MS });
await store.journal(task).own();
async function* content(): AsyncGenerator<Uint8Array> {
  yield Buffer.alloc(3 * 1024 * 1024);
  process.send?.("put");
  await new Promise(() => {});
}
await store.objects(task).put("output/1.log", content());
