[ "$(cat public/build.txt)" = "Build 12" ]
