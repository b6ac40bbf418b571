/* DBSCAN for R's .C: cc -shared -fPIC -I capi python/tests/r/dbscan.c bin/libskyjoin.so -o dbscan.so
 *
 * x is a matrix of R, one column after the other. labels gets the cluster of each row from 1, 0 for
 * noise; message, of 511 characters or more, gets what went wrong or "". */
#include "skyjoin.h"
#include <stdio.h>
#include <stdlib.h>

void dbscan(const double *x, const int *rows, const int *columns, const double *eps, const double *min_points, int *labels, char **message) {
  skyjoin_error err = {sizeof err, 0, 0, 0, ""};
  skyjoin_dbscan what = {sizeof what, 0, *eps, *min_points, 0};
  uint64_t points = 0, job = 0;
  int64_t n = *rows;
  int64_t *found = malloc(n * sizeof *found + 1);
  skyjoin_column *column = calloc(*columns + 1, sizeof *column);
  for (int i = 0; i < *columns; i++) {
    column[i].data = x + i * n;
    column[i].stride = sizeof *x;
    column[i].dtype = SKYJOIN_FLOAT64;
  }
  int32_t field = SKYJOIN_LABELS;
  void *array = found;
  int code = skyjoin_points_new(column, *columns, n, 0, &points, &err);
  if (!code) code = skyjoin_dbscan_start(points, 0, &what, 0, &job, &err);
  if (!code) code = skyjoin_job_wait(job, -1, &err);
  if (!code) code = skyjoin_job_fill(job, &field, &array, &n, 1, &err);
  if (!code) code = skyjoin_job_wait(job, -1, &err);
  for (int64_t i = 0; i < n && !code; i++) labels[i] = (int)found[i] + 1;
  if (job) skyjoin_job_free(job);
  if (points) skyjoin_points_free(points);
  free(column);
  free(found);
  snprintf(*message, 512, "%s", code ? err.message : "");
}
