import { testQuickProofs } from "./quick.ts";

testQuickProofs(3, "tested");
