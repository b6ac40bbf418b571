module skyjoin

go 1.26
