import { z } from "zod";

// The page's policy forbids to make code of text, which zod would try with each schema that is made: this is loaded first.
z.config({ jitless: true });
