import { config } from "zod";

// The page's policy forbids eval, which zod would try for each schema. Load this module first.
config({ jitless: true });
