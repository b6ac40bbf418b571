# The dbscan package of R. usage: Rscript dbscan.R FILE.npy dbscan EPS 1 MINPTS
suppressMessages(library(dbscan))
a <- commandArgs(trailingOnly = TRUE)
f <- file(a[1], "rb")
head <- readBin(f, "raw", 10)
text <- readChar(f, as.integer(head[9]) + 256L * as.integer(head[10]))
shape <- as.numeric(regmatches(text, regexec("\\((\\d+), (\\d+)\\)", text))[[1]][2:3])
x <- matrix(readBin(f, "double", prod(shape)), ncol = shape[2], byrow = TRUE)
close(f)
t <- system.time(r <- dbscan::dbscan(x, eps = as.numeric(a[3]), minPts = as.integer(a[5])))
cat(sprintf('{"wall": %.4f, "cpu": %.4f, "mb": 0, "check": "%d clusters, %d noise"}\n',
            t[["elapsed"]], t[["user.self"]] + t[["sys.self"]], max(r$cluster), sum(r$cluster == 0)))
