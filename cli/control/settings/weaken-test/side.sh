[ -s test.mjs ] && ! grep -q -e '-2' test.mjs
