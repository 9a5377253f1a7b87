import { testQuickProofs } from "./quick.ts";

testQuickProofs(5, "tested");
