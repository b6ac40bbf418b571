# Rscript dbscan.R dbscan.so: clusters of 500 rows by the library, and by what R has itself.

dyn.load(commandArgs(TRUE)[1])

dbscan <- function(x, eps, min_points) {
  found <- .C("dbscan", as.double(x), nrow(x), ncol(x), as.double(eps), as.double(min_points), labels = integer(nrow(x)), message = strrep(" ", 511))
  if (found$message != "") stop(found$message)
  found$labels
}

set.seed(1)
x <- cbind(runif(500), runif(500))
labels <- dbscan(x, 0.03, 1)
tree <- cutree(hclust(dist(x), "single"), h = 0.03)  # single linkage is DBSCAN with min_points = 1
stopifnot(length(unique(labels)) > 50, identical(match(labels, unique(labels)), match(tree, unique(tree))))

near <- unname(as.matrix(dist(x))) <= 0.05
core <- rowSums(near) >= 6
labels <- dbscan(x, 0.05, 6)
stopifnot(any(core), any(!core), identical(labels > 0, rowSums(near[, core]) > 0))  # all within reach of a core row, no others

refused <- tryCatch(dbscan(x, -1, 6), error = conditionMessage)
cat(length(unique(tree)), "groups;", refused)
