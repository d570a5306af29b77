import { createHost } from "../../../runtime/host.ts";
import { deliverInbox } from "../../../runtime/inbox/inbox-delivery.ts";
import { openPostgres } from "../../../store/postgres/store.ts";
import { scripted } from "../../support/model.ts";
import { LONG_LEASE_MS } from "../../support/postgres.ts";

// Owns a new task and delivers its inbox until it is killed. Reports each commit that has a cause, and what it removes.
// `keeps`: it removes nothing, as if it were killed before.
const [url = "", id = "", keeps = ""] = process.argv.slice(2);
const store = await openPostgres({ url, leaseMs: LONG_LEASE_MS });
const host = createHost({ journal: store.journal });
/** A request that never ends by itself. */
const model = scripted([
  async function* (signal) {
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    yield* [];
  },
]);
const task = await host.create({ id, model, workspace: false });
task.events$.subscribe(({ commit }) => process.send?.({ cause: commit.cause?.type ?? "" }));
const { inbox } = store;
deliverInbox({
  task,
  inbox: {
    after: (taskId, position) => inbox.after(taskId, position),
    watch: (listener) => inbox.watch(listener),
    async remove(taskId, upTo) {
      process.send?.({ removes: upTo });
      if (keeps === "keeps") await new Promise(() => {});
      await inbox.remove(taskId, upTo);
    },
  },
  onError: (error) => process.send?.({ error: String(error) }),
});
